use super::*;
use crate::options::FleetOptions;
use crate::testing::sample;

#[test]
fn show() {
    for width in [40, 60, 80, 100, 120, 140, 200] {
        let fleet = sample().fleet(&FleetOptions::default());
        println!("{width}\n{}", nodes_view(&fleet, &ViewOptions { width: Some(width), ..ViewOptions::default() }));
    }
    let fleet = sample().fleet(&FleetOptions::default());
    println!("{}", nodes_view(&fleet, &ViewOptions { wide: true, ascii: true, ..ViewOptions::default() }));
    let fleet = sample().fleet(&FleetOptions{ group_by: Some("pool".parse().unwrap()), ..FleetOptions::default()});
    println!("{}", nodes_view(&fleet, &ViewOptions { width: Some(80), ..ViewOptions::default() }));
    println!("{}", crate::json(&fleet));
    println!("{}", crate::csv(&fleet, true));
}
#[test]
#[ignore]
fn speed() {
    use crate::testing::*;
    let mut c = cluster();
    let names: Vec<String> = (0..5000).map(|i| format!("ip-10-{}-{}-{}.ec2.internal", i % 7, i / 100, i % 100)).collect();
    for (i, n) in names.iter().enumerate() {
        c = c.karpenter(n, ["a", "b", "c"][i % 3], ["m6i.xlarge", "g5.xlarge", "zz.top"][i % 3], "us-east-1a", ["spot", "on-demand"][i % 2]);
    }
    for i in 0..150_000 {
        c = c.pod_of(if i % 10 == 0 { "DaemonSet" } else { "ReplicaSet" }, &names[(i * 7919) % 5000], 10 + (i % 13) as i64, GI / 100);
    }
    c.0.canonicalize();
    let book = book();
    let mut best = std::time::Duration::MAX;
    for _ in 0..60 {
        let t = std::time::Instant::now();
        let fleet = Fleet::new(&c.0, &book, &FleetOptions::default());
        best = best.min(t.elapsed());
        drop(fleet);
    }
    println!("best {best:?}");
    let fleet = Fleet::new(&c.0, &book, &FleetOptions::default());
    let mut best = std::time::Duration::MAX;
    for _ in 0..20 {
        let t = std::time::Instant::now();
        let n = nodes_view(&fleet, &ViewOptions { width: Some(120), ..ViewOptions::default() });
        best = best.min(t.elapsed());
        drop(n);
    }
    println!("best view {best:?}");
    for _ in 0..1 {
        let t = std::time::Instant::now();
        let mut n = 0;
        for node in &c.0.nodes { n += restow_catalog::node_facts(node, &c.0.strings).zone.map_or(0, str::len); }
        let a = t.elapsed();
        for node in &c.0.nodes { n += restow_catalog::marks::pool(node, &c.0.strings, &Default::default()).map_or(0, |p| p.name.len()); }
        let b = t.elapsed();
        for node in &c.0.nodes { n += crate::state::states(node, None, &c.0.strings).0.len(); }
        let d = t.elapsed();
        for node in &c.0.nodes { n += usize::from(crate::state::is_do_not_disrupt(node, None, &c.0.strings)); }
        let e = t.elapsed();
        let l = crate::load::Load::new(&c.0, &[]);
        let f = t.elapsed();
        println!("facts {a:?} pool {:?} states {:?} dnd {:?} load {:?} {n} {}", b - a, d - b, e - d, f - e, l.nowhere.pending);
        let t = std::time::Instant::now();
        let fleet = crate::Fleet::new(&c.0, &book, &FleetOptions::default());
        let a = t.elapsed();
        let v = nodes_view(&fleet, &ViewOptions { width: Some(120), ..ViewOptions::default() });
        let b = t.elapsed();
        let j = crate::json(&fleet);
        println!("fleet {a:?} view {:?} json {:?} {} {}", b - a, t.elapsed() - b, v.len(), j.len());
    }
}
