"""Web pages: templates, styles and scripts, for single files and for a server alike."""
