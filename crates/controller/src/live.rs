//! The cluster as it is now, for whoever looks at it: the task that owns the reader, and how to ask it.

use std::ops::ControlFlow;
use std::sync::Arc;

use restow_kubernetes::{ReadOptions, Reader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::client::Connection;
use crate::counted::matters;
use crate::error::LiveError;
use crate::news::{News, Tell};
use crate::watch::{Job, WatchNews, WatchOptions, Watching, follow_cluster};

/// A way to the task that owns what is known of a cluster.
pub struct Live {
    jobs: mpsc::Sender<Job>,
    task: JoinHandle<Result<(), LiveError>>,
}

impl Live {
    /// Reads a cluster and keeps it true.
    pub fn start(connection: Connection, options: WatchOptions, tell: Arc<dyn Tell>) -> Self {
        let (jobs, mut asked) = mpsc::channel::<Job>(16);
        let task = tokio::spawn(async move {
            let mut reader = Reader::new(ReadOptions { skip_invalid: true });
            reader.count_by(matters);
            let mut news = |own: WatchNews<'_>| {
                match own {
                    WatchNews::Reconnecting { kind, reason, .. } => {
                        tell.tell(&News::Reconnecting { kind, reason });
                    }
                    WatchNews::Lost { kind, reason } => tell.tell(&News::Lost { kind, reason }),
                    WatchNews::Changed { .. } | WatchNews::Relisting { .. } => {}
                }
                ControlFlow::Continue(())
            };
            follow_cluster(&connection, &mut reader, &options, &mut asked, &mut news).await
        });
        Self { jobs, task }
    }

    /// Does something with what is known, between two changes.
    pub async fn ask<R: Send + 'static>(
        &mut self,
        job: impl FnOnce(&mut Reader, Watching) -> R + Send + 'static,
    ) -> Result<R, LiveError> {
        let (answer, answered) = oneshot::channel();
        let own: Job = Box::new(move |reader, watching| {
            // Nobody waits any more: then nobody wants to know.
            let _ = answer.send(job(reader, watching));
        });
        if self.jobs.send(own).await.is_ok()
            && let Ok(found) = answered.await
        {
            return Ok(found);
        }
        Err(self.ended().await)
    }

    /// Why nothing is known any longer.
    async fn ended(&mut self) -> LiveError {
        match (&mut self.task).await {
            Ok(Err(error)) => error,
            Ok(Ok(())) => LiveError::Stopped { reason: "the watch ended".to_owned() },
            Err(error) => LiveError::Stopped { reason: error.to_string() },
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.task.abort();
    }
}
