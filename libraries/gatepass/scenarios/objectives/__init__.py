"""Objectives of classes of service, tried after ITU-T Y.1564."""
