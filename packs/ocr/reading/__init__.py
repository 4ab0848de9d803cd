"""What happens inside the confined process: from a stranger's bytes to lines of text. Knows no run, no money."""
