import type { Container, Pod } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { securityArguments } from './engine-security.ts'

type Context = Record<string, unknown>

function argumentsOf(ofPod: Context, own: Context, user = '') {
  const container: Container = { name: 'main', securityContext: own }
  const pod = { metadata: { name: 'pod' }, spec: { securityContext: ofPod } } as unknown as Pod
  return securityArguments('podman', pod, container, { user, stopSignal: undefined }).join(' ')
}

describe('privileges', () => {
  test.each([
    {
      because: 'the container takes precedence over its pod',
      pod: { runAsUser: 1, runAsGroup: 2 },
      own: { runAsUser: 3 },
      flags: '--user 3:2',
    },
    {
      because: 'a group alone keeps the user of the image',
      pod: { runAsGroup: 2 },
      own: {},
      user: 'app:app',
      flags: '--user app:2',
    },
    {
      because: 'groups are those of the pod',
      pod: { fsGroup: 7, supplementalGroups: [8n] },
      own: {},
      flags: '--group-add 8 --group-add 7',
    },
    {
      because: 'capabilities are dropped before some are added',
      pod: {},
      own: { capabilities: { add: ['CHOWN'], drop: ['ALL'] } },
      flags: '--cap-drop ALL --cap-add CHOWN',
    },
    {
      because: 'a read-only root has no writable tmpfs',
      pod: {},
      own: { readOnlyRootFilesystem: true },
      flags: '--read-only --read-only-tmpfs=false',
    },
    {
      because: 'no program may gain privileges',
      pod: {},
      own: { allowPrivilegeEscalation: false },
      flags: '--security-opt no-new-privileges',
    },
  ])('$because', ({ pod, own, user, flags }) => {
    expect(argumentsOf(pod, own, user)).toContain(flags)
  })

  test('that a pod does not set have the defaults of the engine', () => {
    expect(argumentsOf({}, {})).toBe('--security-opt label=disable')
  })
})

describe('runAsNonRoot', () => {
  test.each([
    { because: 'an image without a user', own: {}, user: '', message: /image will run as root/ },
    { because: 'an image of root', own: {}, user: '0:0', message: /image will run as root/ },
    {
      because: 'a name that may be root',
      own: {},
      user: 'app',
      message: /non-numeric user \(app\)/,
    },
    {
      because: 'an explicit root user',
      own: { runAsUser: 0 },
      user: '5',
      message: /breaks non-root policy/,
    },
  ])('rejects $because', ({ own, user, message }) => {
    expect(() => argumentsOf({ runAsNonRoot: true }, own, user)).toThrow(message)
  })

  test.each([
    { because: 'the image has a user', own: {}, user: '65532:65532' },
    { because: 'the pod sets one', own: { runAsUser: 5 }, user: '' },
    { because: 'the container disables it', own: { runAsNonRoot: false }, user: '' },
  ])('is satisfied if $because', ({ own, user }) => {
    expect(() => argumentsOf({ runAsNonRoot: true }, own, user)).not.toThrow()
  })
})
