//! The cluster of `restow demo`: a small shop on AWS, written by hand so that a first look shows something of everything.
//!
//! Some nodes can go at once and some later, some are too large for what they run, and the others stay for the reasons that
//! people meet most. [`story`] says what is where; the rest makes Kubernetes objects of it. No chance is involved.

mod machines;
mod objects;
mod story;

use serde_json::{Value, json};

/// All objects of the cluster, as one `List`.
pub fn demo() -> Value {
    let mut items = objects::around();
    items.extend(story::POOLS.iter().map(machines::pool));
    items.extend(story::DAEMONS.iter().map(objects::daemon_set));
    for app in story::APPS {
        items.extend(objects::controllers(app));
    }
    for (number, node) in story::NODES.iter().enumerate() {
        items.extend(machines::machine(number, node));
        items.extend(objects::pods(number, node));
    }
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the story says is placed is what its applications have, and every node holds what is on it.
    #[test]
    fn the_story_adds_up() {
        for app in story::APPS {
            let placed: u32 = story::NODES
                .iter()
                .flat_map(|node| node.pods)
                .filter(|(name, _)| *name == app.name)
                .map(|(_, count)| count)
                .sum();
            assert_eq!(placed, app.replicas, "{}", app.name);
        }
        for node in story::NODES {
            let kind = story::TYPES.iter().find(|own| own.name == node.kind).expect(node.kind);
            let apps =
                node.pods.iter().map(|(name, count)| (story::app_named(name).expect(name), *count));
            let (mut cpu, mut memory) = (0, 0);
            for (app, count) in apps {
                cpu += app.cpu * count;
                memory += app.memory * count;
            }
            for daemon in story::DAEMONS {
                cpu += daemon.cpu;
                memory += daemon.memory;
            }
            let (cpus, mebibytes) = machines::allocatable(kind);
            assert!(cpu <= cpus && memory <= mebibytes, "{}: {cpu}m, {memory}Mi", node.kind);
        }
    }

    #[test]
    fn it_is_the_same_every_time() {
        assert_eq!(demo(), demo());
    }
}
