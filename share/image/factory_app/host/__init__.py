"""The reference host: serves one app's modules, workflows and accounts over HTTP. ../README is its contract."""
