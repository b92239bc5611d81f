"""The handlers: one file per noun. They translate, and decide nothing."""
