import { expect, test } from 'vitest'
import { pullPolicyOf } from './image-tag.ts'

test.each([
  { because: 'no tag means latest', image: 'busybox', policy: 'Always' },
  { because: 'latest may change', image: 'busybox:latest', policy: 'Always' },
  { because: 'other tags do not change', image: 'busybox:1.2', policy: 'IfNotPresent' },
  { because: 'the port of a registry is not a tag', image: 'localhost:5000/a/b', policy: 'Always' },
  { because: 'a tag after a port counts', image: 'localhost:5000/a/b:1', policy: 'IfNotPresent' },
  { because: 'a digest does not change', image: 'a/b@sha256:0123', policy: 'IfNotPresent' },
  { because: 'no image has no tag', image: '', policy: 'IfNotPresent' },
  { because: 'an invalid image name has no tag', image: 'A B', policy: 'IfNotPresent' },
] as const)('$because', ({ image, policy }) => {
  expect(pullPolicyOf(image)).toBe(policy)
})
