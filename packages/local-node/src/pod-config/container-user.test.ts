import { describe, expect, test } from 'vitest'
import { requestsUsers, userOf } from './container-user.ts'

function podWith(ofPod?: Record<string, unknown>, own?: Record<string, unknown>) {
  const container = { name: 'c', ...(own && { securityContext: own }) }
  const spec = { containers: [container], ...(ofPod && { securityContext: ofPod }) }
  return { pod: { spec }, container }
}

describe('the user of a container', () => {
  test.each([
    { because: 'no user is set', is: undefined },
    { because: 'the pod sets root', ofPod: { runAsUser: 0 }, is: undefined },
    { because: 'a reserved id is used', ofPod: { runAsUser: 65_533 }, is: 65_533 },
    {
      because: 'an id of the machine is replaced by that of the agent',
      ofPod: { runAsUser: 1000 },
      is: 65_532,
    },
    {
      because: 'groups are ignored',
      ofPod: { runAsUser: 5, supplementalGroups: [42] },
      is: 65_532,
    },
    { because: 'runAsNonRoot selects the agent', ofPod: { runAsNonRoot: true }, is: 65_532 },
    {
      because: 'the container takes precedence over its pod',
      ofPod: { runAsUser: 5 },
      own: { runAsUser: 65_531 },
      is: 65_531,
    },
  ])('$because', ({ ofPod, own, is }) => {
    const { pod, container } = podWith(ofPod, own)
    expect(userOf(pod, container)).toBe(is)
    expect(requestsUsers(pod)).toBe(is !== undefined)
  })

  test('cannot be root if the pod sets runAsNonRoot', () => {
    const { pod, container } = podWith({ runAsUser: 0, runAsNonRoot: true })
    expect(() => userOf(pod, container)).toThrow('runAsUser 0, but runAsNonRoot is true')
  })
})
