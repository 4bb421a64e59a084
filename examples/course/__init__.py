"""What the worked examples share: a scripted model that misbehaves on purpose, the switches against that, and the two loops."""
