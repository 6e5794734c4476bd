//! `managedFields`: no reader wants them, every reader has to get past them, and they are a third of a pod.

use crate::emit::Emitter;

/// Who wrote what, when.
pub(crate) struct Entry<'a> {
    pub(crate) manager: &'a str,
    pub(crate) time: &'a str,
    pub(crate) subresource: Option<&'a str>,
    pub(crate) version: &'a str,
    /// Words: `key{` opens an object, `}` closes it, `key` alone is an empty one; `$` stands for `name`,
    /// `%` for `uid`.
    pub(crate) fields: &'a str,
    pub(crate) name: &'a str,
    pub(crate) uid: &'a str,
}

/// Writes one entry of the list.
pub(crate) fn entry(e: &mut Emitter, entry: &Entry) {
    e.item(|e| {
        e.text("apiVersion", entry.version);
        e.text("fieldsType", "FieldsV1");
        e.object("fieldsV1", |e| fields(e, entry));
        e.text("manager", entry.manager);
        e.text("operation", "Update");
        if let Some(subresource) = entry.subresource {
            e.text("subresource", subresource);
        }
        e.text("time", entry.time);
    });
}

fn fields(e: &mut Emitter, entry: &Entry) {
    for word in entry.fields.split_ascii_whitespace() {
        let named;
        let word = if word.contains(['$', '%']) {
            named = word.replace('$', entry.name).replace('%', entry.uid);
            named.as_str()
        } else {
            word
        };
        match word.strip_suffix('{') {
            _ if word == "}" => e.close(),
            Some(key) => {
                e.key(key);
                e.open(false);
            }
            None => e.empty(word),
        }
    }
}

/// What the controller manager sets on a pod with two containers, the first named `$`.
pub(crate) const POD_SPEC: &str = r#"
f:metadata{
  f:annotations{ . f:prometheus.io/port f:prometheus.io/scrape }
  f:generateName
  f:labels{ . f:app.kubernetes.io/component f:app.kubernetes.io/name f:app.kubernetes.io/part-of f:pod-template-hash f:version }
  f:ownerReferences{ . k:{"uid":"%"} }
}
f:spec{
  f:affinity{ . f:podAntiAffinity{ . f:preferredDuringSchedulingIgnoredDuringExecution } }
  f:containers{
    k:{"name":"$"}{
      . f:args
      f:env{
        . k:{"name":"DATABASE_URL"}{ . f:name f:valueFrom{ . f:secretKeyRef } }
        k:{"name":"LOG_LEVEL"}{ . f:name f:value }
        k:{"name":"POD_NAME"}{ . f:name f:valueFrom{ . f:fieldRef } }
      }
      f:image f:imagePullPolicy
      f:livenessProbe{ . f:failureThreshold f:httpGet{ . f:path f:port f:scheme } f:periodSeconds f:successThreshold f:timeoutSeconds }
      f:name
      f:ports{ . k:{"containerPort":8080,"protocol":"TCP"}{ . f:containerPort f:name f:protocol } }
      f:readinessProbe{ . f:failureThreshold f:httpGet{ . f:path f:port f:scheme } f:periodSeconds f:successThreshold f:timeoutSeconds }
      f:resources{ . f:limits{ . f:memory } f:requests{ . f:cpu f:memory } }
      f:terminationMessagePath f:terminationMessagePolicy
      f:volumeMounts{ . k:{"mountPath":"/etc/app"}{ . f:mountPath f:name f:readOnly } }
    }
    k:{"name":"proxy"}{
      . f:image f:imagePullPolicy f:name
      f:resources{ . f:limits{ . f:memory } f:requests{ . f:cpu f:memory } }
      f:terminationMessagePath f:terminationMessagePolicy
    }
  }
  f:dnsPolicy f:enableServiceLinks f:restartPolicy f:schedulerName f:securityContext
  f:terminationGracePeriodSeconds f:tolerations f:topologySpreadConstraints
  f:volumes{ . k:{"name":"config"}{ . f:configMap{ . f:defaultMode f:name } f:name } }
}
"#;

/// What the kubelet sets on a pod.
pub(crate) const POD_STATUS: &str = r#"
f:status{
  f:conditions{
    k:{"type":"ContainersReady"}{ . f:lastProbeTime f:lastTransitionTime f:observedGeneration f:status f:type }
    k:{"type":"Initialized"}{ . f:lastProbeTime f:lastTransitionTime f:observedGeneration f:status f:type }
    k:{"type":"PodReadyToStartContainers"}{ . f:lastProbeTime f:lastTransitionTime f:observedGeneration f:status f:type }
    k:{"type":"Ready"}{ . f:lastProbeTime f:lastTransitionTime f:observedGeneration f:status f:type }
  }
  f:containerStatuses f:hostIP f:hostIPs f:observedGeneration f:phase f:podIP
  f:podIPs{ . k:{"ip":"$"}{ . f:ip } }
  f:startTime
}
"#;

/// What the kubelet sets on a node.
pub(crate) const NODE_STATUS: &str = r#"
f:status{
  f:allocatable{ f:cpu f:ephemeral-storage f:memory }
  f:capacity{ f:cpu f:ephemeral-storage f:memory }
  f:conditions{
    k:{"type":"DiskPressure"}{ f:lastHeartbeatTime }
    k:{"type":"MemoryPressure"}{ f:lastHeartbeatTime }
    k:{"type":"PIDPressure"}{ f:lastHeartbeatTime }
    k:{"type":"Ready"}{ f:lastHeartbeatTime f:lastTransitionTime f:message f:reason f:status }
  }
  f:images f:nodeInfo{ f:bootID }
}
"#;
