"""Training by self-play, with torch (the extra `train`): champions, and best responses to frozen players."""
