//! Markdown blog server: each page kept as ready-to-send bytes.
