"""The texts that people and programs read back: literals, labels and conditions. Here they are
parsed; what they mean for rows, their readers decide."""
