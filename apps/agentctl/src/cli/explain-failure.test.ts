import { KubeconfigError, KubeError } from '@agents/kube'
import { expect, test } from 'vitest'
import { usageFailure } from './command-failure.ts'
import { explainFailure } from './explain-failure.ts'

const going = new AbortController().signal

const refused = (code: number, reason: string, message: string, details: object = {}) =>
  new KubeError(`GET /apis/x/v1/things: ${message}`, { code, reason, details })

test.each([
  {
    because: 'what a command says itself',
    error: usageFailure('no'),
    code: 2,
    says: /^no$/,
    advises: '',
  },
  {
    because: 'no kubeconfig: how to get a platform',
    error: new KubeconfigError('there is no kubeconfig: x'),
    code: 3,
    says: /no kubeconfig/,
    advises: 'agentctl up',
  },
  {
    because: 'no server',
    error: new KubeError('GET /api: no connection', {
      code: 0,
      reason: 'Unreachable',
      cause: new Error('connect ECONNREFUSED'),
    }),
    code: 3,
    says: /ECONNREFUSED/,
    advises: 'agentctl doctor',
  },
  {
    because: 'a server of another cluster',
    error: new KubeError('GET /api: no connection', {
      code: 0,
      reason: 'Unreachable',
      cause: Object.assign(new Error('self-signed'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
    }),
    code: 3,
    says: /self-signed/,
    advises: 'another cluster',
  },
  {
    because: 'a name that is taken',
    error: refused(409, 'AlreadyExists', 'agentruns "x" already exists'),
    code: 3,
    says: /^agentruns "x" already exists$/,
    advises: 'Choose another name',
  },
  {
    because: 'a missing object, without the request',
    error: refused(404, 'NotFound', 'agentruns "x" not found', {
      name: 'x',
      kind: 'agentruns',
      group: 'agents.proompteng.ai',
    }),
    code: 3,
    says: /^agentruns "x" not found$/,
    advises: 'agentctl get agentruns -A',
  },
  {
    because: 'a missing namespace',
    error: refused(404, 'NotFound', 'namespaces "x" not found', { name: 'x', kind: 'namespaces' }),
    code: 3,
    says: /^namespaces "x" not found$/,
    advises: 'kubectl create namespace x',
  },
  {
    because: 'a full disk',
    error: refused(500, 'InternalError', 'no room left on the disk of the store'),
    code: 3,
    says: /no room left/,
    advises: 'Make room',
  },
  {
    because: 'a missing kind',
    error: refused(404, 'NotFound', 'the server could not find the requested resource'),
    code: 3,
    says: /could not find/,
    advises: 'charts/agents/crds',
  },
  {
    because: 'no permission',
    error: refused(403, 'Forbidden', 'no'),
    code: 3,
    says: /^no$/,
    advises: 'administrator',
  },
  {
    because: 'a fault of ours',
    error: new TypeError('x is not a function'),
    code: 70,
    says: /not a function/,
    advises: 'doctor',
  },
])('$because', ({ error, code, says, advises }) => {
  const explained = explainFailure(error, going)
  expect(explained.code).toBe(code)
  expect(explained.message).toMatch(says)
  expect(explained.advice.join(' ')).toContain(advises)
})

test('whatever fails after Ctrl-C was stopped on request', () => {
  expect(explainFailure(new Error('socket hang up'), AbortSignal.abort()).code).toBe(130)
})
