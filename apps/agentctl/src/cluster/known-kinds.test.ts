import { expect, test } from 'vitest'
import { findPlatformKind, namesOf, platformKinds } from './known-kinds.ts'

test.each([
  { name: 'runs', kind: 'AgentRun' },
  { name: 'AgentRun', kind: 'AgentRun' },
  { name: 'ar', kind: 'AgentRun' },
  { name: 'agentruns.agents.proompteng.ai', kind: 'AgentRun' },
  { name: 'impl', kind: 'ImplementationSpec' },
  { name: 'vcs', kind: 'VersionControlProvider' },
  { name: 'gittargets', kind: 'GitTarget' },
  { name: 'pods', kind: undefined },
])('$name is $kind', ({ name, kind }) => {
  expect(findPlatformKind(name)?.kind).toBe(kind)
})

test('no name means two kinds', () => {
  const names = platformKinds.flatMap(namesOf)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
