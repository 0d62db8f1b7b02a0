"""The gateway's web page, as a browser and whoever sits at it meet it."""
