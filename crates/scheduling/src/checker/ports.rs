//! Ports of the node: one pod each per protocol and address, where no address means every address.

use restow_model::HostPort;

use super::{Checker, Violation};

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    for wanted in &checker.shape(pod).host_ports {
        for other in checker.others_on(node, pod) {
            if checker.shape(other).host_ports.iter().any(|taken| collide(*wanted, *taken)) {
                return Err(Violation::HostPortTaken { port: *wanted, by: other });
            }
        }
    }
    Ok(())
}

fn collide(a: HostPort, b: HostPort) -> bool {
    let same_address = a.ip == b.ip || a.ip.is_empty() || b.ip.is_empty();
    a.port != 0 && a.port == b.port && a.protocol == b.protocol && same_address
}

#[cfg(test)]
mod tests {
    use crate::checker::testing::World;
    use restow_model::{HostPort, PodShape, Protocol};

    fn code(taken: (u16, Protocol, &str), wanted: (u16, Protocol, &str)) -> &'static str {
        let mut world = World::default();
        let node = world.node("a");
        let [taken, wanted] = [taken, wanted].map(|(port, protocol, ip)| PodShape {
            host_ports: vec![HostPort { port, protocol, ip: world.s(ip) }],
            ..World::shape()
        });
        world.pod("first", Some(node), taken);
        let pod = world.pod("second", None, wanted);
        world.feasibility(pod)[0]
    }

    #[test]
    fn a_port_is_taken_per_protocol_and_address() {
        use Protocol::{Tcp, Udp};
        const NO: &str = "HostPortTaken";
        assert_eq!(code((80, Tcp, ""), (80, Tcp, "")), NO);
        assert_eq!(code((80, Tcp, ""), (81, Tcp, "")), "");
        assert_eq!(code((80, Tcp, ""), (80, Udp, "")), "");
        assert_eq!(code((80, Tcp, "10.0.0.1"), (80, Tcp, "10.0.0.2")), "");
        assert_eq!(code((80, Tcp, "10.0.0.1"), (80, Tcp, "10.0.0.1")), NO);
        assert_eq!(code((80, Tcp, "10.0.0.1"), (80, Tcp, "")), NO);
        assert_eq!(code((80, Tcp, ""), (80, Tcp, "10.0.0.2")), NO);
    }
}
