"""Hard conditions: read from the input (`reader`), held against every option (`checks`)."""
