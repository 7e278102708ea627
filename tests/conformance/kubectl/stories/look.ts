import { differences } from '../differences.ts'
import type { Scenario } from '../scenario.ts'
import { configMap, deployment } from './manifests.ts'

export const getting: Scenario = {
  name: 'getting',
  steps: [
    { command: 'create -f -', stdin: configMap({ a: '1', b: '2' }) },
    'get configmap settings',
    'get cm',
    'get configmap settings -o yaml',
    'get configmap settings -o json',
    'get configmap settings -o name',
    'get configmap settings -o jsonpath={.data.b}',
    'get configmap settings -o go-template={{.data.a}}',
    'get configmaps --sort-by=.metadata.name --no-headers',
    'get configmaps --chunk-size=1',
    'get configmaps -A --field-selector metadata.name=settings,metadata.namespace=$NS',
    'get configmap absent',
    'get nothings',
    'get pods',
    'get pods -A -o name --field-selector status.phase=Running',
    'get namespace $NS',
    'get ns default kube-system kube-public kube-node-lease',
    'get namespaces $NS -o yaml',
    'get serviceaccounts',
    'get configmap kube-root-ca.crt -o jsonpath={.data}',
    'get all',
    'get secrets,configmaps -o wide',
    'get --raw /healthz',
    'get --raw /livez/ping',
    { command: 'get --raw /readyz?verbose=x', except: differences.checks },
    'get --raw /nothing',
    'get --raw /api/v1/namespaces/$NS/configmaps/absent',
    { command: 'describe configmap settings', unordered: true },
    'describe namespace $NS',
    'describe configmap absent',
    'get service kubernetes -n default',
    'get configmap settings --subresource=status',
    'get events',
    'events',
    'cluster-info',
    'get configmaps -n absent',
    'create configmap x -n absent',
  ],
}

export const watching: Scenario = {
  name: 'watching',
  steps: [
    { command: 'create -f -', stdin: configMap({ a: '1' }) },
    {
      command: 'get configmaps --field-selector metadata.name=settings -w',
      until: /(settings[^\n]*\n){4}/,
      meanwhile: [
        'label configmap settings app=web',
        `patch configmap settings -p '{"data":{"c":"3"}}'`,
        'delete configmap settings',
      ],
    },
    { command: 'create -f -', stdin: configMap({ a: '1' }) },
    {
      command: 'get configmap settings -w -o name',
      until: /(configmap\/settings\n){2}/,
      meanwhile: [`patch configmap settings -p '{"data":{"c":"3"}}'`],
    },
    {
      command: 'get configmaps -l app=web -w --output-watch-events',
      until: /DELETED/,
      meanwhile: ['label configmap settings app=web', 'label configmap settings app-'],
    },
    {
      command: `get configmaps -w --watch-only --field-selector metadata.name=settings -o 'jsonpath={.data}{"\\n"}'`,
      until: /"c":"7"/,
      meanwhile: [`patch configmap settings -p '{"data":{"c":"7"}}'`],
    },
  ],
}

export const waiting: Scenario = {
  name: 'waiting',
  steps: [
    { command: 'create -f -', stdin: deployment('web:1') },
    'wait --for=condition=Available deployment/web --timeout=1s',
    {
      command: 'wait --for=condition=Available deployment/web --timeout=120s',
      until: /$^/,
      meanwhile: [
        `patch deployment web --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Available","status":"True"}]}}'`,
      ],
    },
    'wait --for=condition=Available=false deployment/web --timeout=1s',
    `wait --for=jsonpath='{.spec.replicas}'=2 deployment/web --timeout=60s`,
    {
      command: `wait --for=jsonpath='{.spec.replicas}'=4 deployment/web --timeout=120s`,
      until: /$^/,
      meanwhile: ['scale deployment web --replicas=4'],
    },
    {
      command: 'wait --for=create configmap/late --timeout=120s',
      until: /$^/,
      meanwhile: ['create configmap late'],
    },
    {
      command: 'wait --for=delete configmap/late --timeout=120s',
      until: /$^/,
      meanwhile: ['delete configmap late'],
    },
    'wait --for=delete configmap/late --timeout=60s',
    'wait --for=condition=Ready pods -l app=none --timeout=1s',
    'wait --for=condition=Ready pod/absent --timeout=1s',
  ],
}

export const deleting: Scenario = {
  name: 'deleting',
  steps: [
    { command: 'create -f -', stdin: configMap({ a: '1' }) },
    'delete configmap settings --dry-run=server',
    'delete configmap settings --wait',
    'delete configmap settings',
    'delete configmap settings --ignore-not-found',
    { command: 'create -f -', stdin: configMap({ a: '1' }) },
    `patch configmap settings -p '{"metadata":{"finalizers":["example.dev/hold"]}}'`,
    'delete configmap settings --wait=false',
    'get configmap settings -o yaml',
    'delete configmap settings --timeout=1s',
    `patch configmap settings -p '{"metadata":{"finalizers":["example.dev/hold","example.dev/more"]}}'`,
    {
      command: 'delete configmap settings --timeout=120s',
      until: /$^/,
      meanwhile: [`patch configmap settings --type=merge -p '{"metadata":{"finalizers":null}}'`],
    },
    'get configmap settings',
    { command: 'create -f -', stdin: deployment('web:1') },
    'delete deployment web --cascade=foreground',
    { command: 'create -f -', stdin: deployment('web:1') },
    'delete deployment web --cascade=orphan',
    'run alone --image=tool:1',
    'delete pod alone --now',
    'run alone --image=tool:1',
    'delete pod alone --force --grace-period=0',
    'create configmap a',
    'create configmap b',
    'delete configmaps a b',
    'create configmap c',
    'delete configmaps --all --field-selector metadata.name=c',
    'delete secrets -l app=none',
    'create namespace $NS-gone',
    'create configmap inside -n $NS-gone',
    'delete namespace $NS-gone --timeout=150s',
    'get configmaps -n $NS-gone',
    'get namespace $NS-gone',
    'delete namespace default --wait=false',
  ],
}

export const logging: Scenario = {
  name: 'logging',
  steps: [
    'run alone --image=tool:1',
    'logs alone',
    'logs -f alone',
    'logs absent',
    'logs alone -c other',
    { command: 'create -f -', stdin: deployment('web:1') },
    'logs deploy/web --pod-running-timeout=1s',
    'exec alone -- true',
    'attach alone',
    'top pods',
    {
      command: 'create -f -',
      stdin: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'one' },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'alone', namespace: '$NS' },
        reason: 'Started',
        message: 'it started',
        type: 'Normal',
        count: 3,
        firstTimestamp: '2030-01-01T00:00:00Z',
        lastTimestamp: '2030-01-01T00:00:00Z',
        source: { component: 'tester' },
      }),
    },
    'get events',
    'get events -o wide',
    'events --for pod/alone',
    'events --types=Warning',
    'get events.events.k8s.io one -o yaml',
    'describe pod alone',
    'create token default --duration=10m',
    'create token absent',
    'create token default --duration=1s',
    'create token default --audience=a --bound-object-kind=Pod --bound-object-name=alone',
  ],
}

function speaker(name: string, container: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { nodeName: '$NS', containers: [{ name: container, image: 'tool:1' }] },
  })
}

/** The kubelet is simulated: the test compares how an API server forwards what a node returns. */
export const followingLogs: Scenario = {
  name: 'following-logs',
  readsLogs: true,
  steps: [
    {
      command: 'create -f -',
      stdin: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: '$NS' },
        status: {
          addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
          daemonEndpoints: { kubeletEndpoint: { Port: '$KUBELET' } },
        },
      }).replace('"$KUBELET"', '$KUBELET'),
    },
    { command: 'create -f -', stdin: speaker('talks', 'main') },
    { command: 'create -f -', stdin: speaker('done', 'ended') },
    {
      command:
        'patch pod talks --subresource=status -p \'{"status":{"phase":"Running","containerStatuses":[{"name":"main","image":"tool:1","imageID":"","ready":true,"restartCount":0,"state":{"running":{}}}]}}\'',
    },
    'logs talks',
    // The command is stopped by its output, so that a server that buffers is detected.
    { command: 'logs -f talks', until: /later line/ },
    { command: 'logs -f talks -c main --tail=5 --timestamps', until: /later line/ },
    'logs -f done',
    'logs --previous talks',
    'logs -p done',
    'logs talks -c other',
    'logs -l app=none',
    { command: 'logs -f talks --prefix', until: /later line/ },
    'delete pod talks done --force --grace-period=0',
    'delete node $NS',
  ],
}
