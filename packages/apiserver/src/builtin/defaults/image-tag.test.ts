import { expect, test } from 'vitest'
import { pullPolicyOf } from './image-tag.ts'

test.each([
  { because: 'no tag means latest', image: 'busybox', policy: 'Always' },
  { because: 'latest moves', image: 'busybox:latest', policy: 'Always' },
  { because: 'a tag is taken to stay', image: 'busybox:1.2', policy: 'IfNotPresent' },
  { because: 'the port of a registry is no tag', image: 'localhost:5000/a/b', policy: 'Always' },
  { because: 'a tag behind a port counts', image: 'localhost:5000/a/b:1', policy: 'IfNotPresent' },
  { because: 'a digest stays', image: 'a/b@sha256:0123', policy: 'IfNotPresent' },
  { because: 'no image has no tag', image: '', policy: 'IfNotPresent' },
  { because: 'what is no image name has no tag', image: 'A B', policy: 'IfNotPresent' },
] as const)('$because', ({ image, policy }) => {
  expect(pullPolicyOf(image)).toBe(policy)
})
