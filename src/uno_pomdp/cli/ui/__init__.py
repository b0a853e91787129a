"""What commands share: the console, cards in text, tables of candidates and beliefs, progress."""
