import type { VersionControlProvider } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { isSameForge } from './same-forge.ts'

type Spec = Partial<VersionControlProvider['spec']>

const github = { provider: 'github' } as const
const gitea = { provider: 'gitea', cloneBaseUrl: 'https://git.example' } as const

test.each<{ one: Spec; other: Spec; expected: boolean }>([
  { one: github, other: github, expected: true },
  { one: github, other: { ...github, cloneBaseUrl: 'https://github.com' }, expected: true },
  { one: github, other: { provider: 'gitlab' }, expected: false },
  { one: github, other: { ...github, cloneBaseUrl: 'https://git.example' }, expected: false },
  { one: gitea, other: { ...gitea, apiBaseUrl: 'https://git.example/api/v1' }, expected: true },
  { one: gitea, other: { ...gitea, cloneBaseUrl: 'https://other.example' }, expected: false },
  { one: gitea, other: { provider: 'generic', sshHost: 'Git.example:2222' }, expected: true },
  { one: { provider: 'gitea' }, other: { provider: 'gitea' }, expected: false },
])('$one and $other: $expected', ({ one, other, expected }) => {
  const specs = [one, other] as [VersionControlProvider['spec'], VersionControlProvider['spec']]
  expect(isSameForge(...specs)).toBe(expected)
})
