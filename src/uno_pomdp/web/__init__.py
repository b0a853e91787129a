"""The board: a server for one person's browser, with pages to play, see and learn. Needs the extra `web`."""
