"""Does I/O. How alike two texts are: embeddings, TF-IDF, word overlap; one backend, one file."""
