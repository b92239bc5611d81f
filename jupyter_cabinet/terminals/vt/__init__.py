"""The language of terminals (ECMA-48, DEC, xterm): finds its sequences in output and knows their effects. Pure."""
