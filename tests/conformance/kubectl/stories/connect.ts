import { differences } from '../differences.ts'
import type { Scenario, Step } from '../scenario.ts'

function podOnNode(name: string, command: readonly string[], fields: object = {}): Step {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      nodeName: 'local',
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'tool:1', command, ...fields }],
    },
  }
  return { command: 'create -f -', stdin: JSON.stringify(pod) }
}

function untilReady(name: string): string {
  return `wait --for=condition=Ready pod/${name} --timeout=120s`
}

/** Each command over WebSockets and over SPDY. */
function overBoth(...steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => [step, { ...step, spdy: true }])
}

const reader = ['sh', '-c', 'while read -r line; do echo "got $line"; done; echo over']
const input = { stdin: true, stdinOnce: true }

export const executing: Scenario = {
  name: 'executing',
  onNode: true,
  steps: [
    podOnNode('target', ['sleep', '600'], { env: [{ name: 'COLOUR', value: 'blue' }] }),
    untilReady('target'),
    ...overBoth(
      { command: `exec target -- sh -c 'echo "$COLOUR"; echo error >&2; exit 7'` },
      { command: 'exec -i target -- tr a-z A-Z', stdin: 'from the client\n' },
      { command: 'exec target -c main -- true' },
      { command: 'exec target -c other -- true' },
      { command: 'exec absent -- true' },
      { command: 'exec target -- no-such-program' },
      { command: 'exec target -- sh -c "kill -9 $$"' },
    ),
    { command: 'exec target -- true', token: 'visitor-token' },
    'create role looks --verb=get --resource=pods,pods/exec',
    'create rolebinding looks --role=looks --user=visitor',
    ...overBoth({ command: 'exec target -- true', token: 'visitor-token' }),
    'create role runs --verb=create --resource=pods/exec',
    'create rolebinding runs --role=runs --user=visitor',
    ...overBoth({ command: 'exec target -- echo allowed', token: 'visitor-token' }),
    { command: 'attach target', token: 'visitor-token' },
    { command: 'port-forward target :80', token: 'visitor-token' },
    'delete pod target --force --grace-period=0',
  ],
}

export const attaching: Scenario = {
  name: 'attaching',
  onNode: true,
  steps: [
    podOnNode('over-websocket', reader, input),
    untilReady('over-websocket'),
    { command: 'attach -i over-websocket', stdin: 'one\ntwo\n' },
    'wait --for=jsonpath={.status.phase}=Succeeded pod/over-websocket --timeout=120s',
    'attach over-websocket',
    podOnNode('over-spdy', reader, input),
    untilReady('over-spdy'),
    { command: 'attach -i over-spdy', stdin: 'one\ntwo\n', spdy: true },
    'delete pod over-websocket over-spdy --force --grace-period=0',
  ],
}

const echo =
  "require('node:net').createServer({allowHalfOpen:true},(s)=>{s.on('error',()=>{});s.write('echo ');s.pipe(s)}).listen($PORT,'127.0.0.1',()=>require('node:fs').writeFileSync('ready',''))"

export const forwardingPorts: Scenario = {
  name: 'forwarding-ports',
  onNode: true,
  steps: [
    podOnNode('server', ['$NODE', '-e', echo]),
    untilReady('server'),
    'exec server -- sh -c "until [ -e ready ]; do sleep 0.1; done"',
    ...overBoth({
      command: 'port-forward pod/server :$PORT --address 127.0.0.1',
      exchange: 'through the port',
    }),
    { command: 'port-forward pod/absent :80' },
    'delete pod server --force --grace-period=0',
  ],
}

export const copying: Scenario = {
  name: 'copying',
  onNode: true,
  steps: [
    podOnNode('files', ['sleep', '600']),
    untilReady('files'),
    ...overBoth(
      { command: 'cp tls.crt files:copy' },
      { command: 'cp files:copy back' },
      { command: 'exec -i files -- cmp - copy', stdinFile: 'back' },
    ),
    'delete pod files --force --grace-period=0',
  ],
}

/** A server alone has no nodes; a node registers itself. */
export const registeredNode: Scenario = {
  name: 'registered-node',
  onNode: true,
  steps: [
    podOnNode('tenant', ['sleep', '600']),
    untilReady('tenant'),
    'get nodes',
    { command: 'get nodes -o wide', except: differences.node },
    'get nodes -l kubernetes.io/hostname=local -o name',
    'get lease local -n kube-node-lease',
    { command: 'get node local -o yaml', except: differences.node },
    { command: 'describe node local', except: differences.node },
    'get pods --field-selector spec.nodeName=local -o wide',
    'delete pod tenant --force --grace-period=0',
  ],
}
