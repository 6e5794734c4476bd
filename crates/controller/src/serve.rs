//! Health, readiness and metrics over HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::metrics::Metrics;
use crate::news::{News, Tell};

/// What the server knows.
#[derive(Default)]
pub struct Health {
    /// Whether the cluster was read: before that there is nothing to say.
    read: AtomicBool,
}

impl Tell for Health {
    fn tell(&self, news: &News) {
        match news {
            // Whoever does not lead is ready to.
            News::Read { .. } | News::Follows { .. } => self.read.store(true, Ordering::Relaxed),
            _ => {}
        }
    }
}

/// Serves `/healthz`, `/readyz` and `/metrics` until it is dropped. Returns where it listens.
pub async fn serve(
    address: SocketAddr,
    metrics: Arc<Metrics>,
    health: Arc<Health>,
) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(address).await?;
    let bound = listener.local_addr()?;
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(numbers))
        .with_state((metrics, health));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(bound)
}

type Known = (Arc<Metrics>, Arc<Health>);

async fn ready(State((_, health)): State<Known>) -> impl IntoResponse {
    if health.read.load(Ordering::Relaxed) {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the cluster is still being read\n")
    }
}

async fn numbers(State((metrics, _)): State<Known>) -> impl IntoResponse {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], metrics.text())
}
