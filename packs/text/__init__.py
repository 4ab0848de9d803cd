"""Reading text: folding for comparison, sentences, quotations. Used by several packs; knows none of them."""
