"""The hooks: each only delegates to the module that holds the idea."""
