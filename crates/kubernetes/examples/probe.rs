use std::time::Instant;
use restow_kubernetes::*;
fn rss() -> String { std::fs::read_to_string("/proc/self/status").unwrap().lines().filter(|l| l.starts_with("VmHWM")||l.starts_with("VmRSS")).collect::<Vec<_>>().join(" ") }
fn main() {
    let p = std::env::args().nth(1).unwrap();
    let t = Instant::now();
    let mut r = Reader::new(ReadOptions::default());
    r.read(&p, std::fs::File::open(&p).unwrap()).unwrap();
    println!("read {:?} {}", t.elapsed(), rss());
    let t = Instant::now();
    let (s, sum) = r.finish(None).unwrap();
    println!("finish {:?} {}", t.elapsed(), rss());
    println!("{:?} strings {:?} shapes {} labels {} owners {} vols {}", sum.objects, s.strings, s.shapes.len(), s.labels.len(), s.owners.len(), s.volumes.len());
    let t = Instant::now();
    let b = file::encode(&s);
    println!("encode {:?} {} bytes {:.1}/pod", t.elapsed(), b.len(), b.len() as f64 / s.pods.len() as f64);
    std::fs::write("/tmp/big.restow", &b).unwrap();
    let t = Instant::now();
    let d = file::decode(&b).unwrap();
    println!("decode {:?} equal {}", t.elapsed(), d == s);
}
