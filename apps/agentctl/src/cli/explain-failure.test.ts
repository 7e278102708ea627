import { KubeconfigError, KubeError } from '@agents/kube'
import { expect, test } from 'vitest'
import { usageFailure } from './command-failure.ts'
import { explainFailure } from './explain-failure.ts'

const going = new AbortController().signal

function refused(code: number, reason: string, message: string, details: object = {}) {
  return new KubeError(`GET /apis/x/v1/things: ${message}`, { code, reason, details })
}

test.each([
  {
    because: 'a failure of the command itself',
    error: usageFailure('no'),
    code: 2,
    expectedMessage: /^no$/,
    advises: '',
  },
  {
    because: 'no kubeconfig: with advice to start a platform',
    error: new KubeconfigError('there is no kubeconfig: x'),
    code: 3,
    expectedMessage: /no kubeconfig/,
    advises: 'agentctl up',
  },
  {
    because: 'an unreachable server',
    error: new KubeError('GET /api: no connection', {
      code: 0,
      reason: 'Unreachable',
      cause: new Error('connect ECONNREFUSED'),
    }),
    code: 3,
    expectedMessage: /ECONNREFUSED/,
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
    expectedMessage: /self-signed/,
    advises: 'another cluster',
  },
  {
    because: 'a name that is in use',
    error: refused(409, 'AlreadyExists', 'agentruns "x" already exists'),
    code: 3,
    expectedMessage: /^agentruns "x" already exists$/,
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
    expectedMessage: /^agentruns "x" not found$/,
    advises: 'agentctl get agentruns -A',
  },
  {
    because: 'a missing namespace',
    error: refused(404, 'NotFound', 'namespaces "x" not found', { name: 'x', kind: 'namespaces' }),
    code: 3,
    expectedMessage: /^namespaces "x" not found$/,
    advises: 'kubectl create namespace x',
  },
  {
    because: 'a full disk',
    error: refused(500, 'InternalError', 'no space left on the disk of the API server'),
    code: 3,
    expectedMessage: /no space left/,
    advises: 'Free space',
  },
  {
    because: 'a full disk of an older server',
    error: refused(500, 'InternalError', 'no room left on the disk of the store'),
    code: 3,
    expectedMessage: /no room left/,
    advises: 'Free space',
  },
  {
    because: 'a missing kind',
    error: refused(404, 'NotFound', 'the server could not find the requested resource'),
    code: 3,
    expectedMessage: /could not find/,
    advises: 'charts/agents/crds',
  },
  {
    because: 'no permission',
    error: refused(403, 'Forbidden', 'no'),
    code: 3,
    expectedMessage: /^no$/,
    advises: 'administrator',
  },
  {
    because: 'a bug',
    error: new TypeError('x is not a function'),
    code: 70,
    expectedMessage: /not a function/,
    advises: 'doctor',
  },
])('$because', ({ error, code, expectedMessage, advises }) => {
  const explained = explainFailure(error, going)
  expect(explained.code).toBe(code)
  expect(explained.message).toMatch(expectedMessage)
  expect(explained.advice.join(' ')).toContain(advises)
})

test('any failure after Ctrl-C counts as an interruption', () => {
  expect(explainFailure(new Error('socket hang up'), AbortSignal.abort()).code).toBe(130)
})
