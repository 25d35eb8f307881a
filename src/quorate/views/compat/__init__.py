"""Result formats of other systems, field for field."""
