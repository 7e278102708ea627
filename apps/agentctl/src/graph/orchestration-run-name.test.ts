import { expect, test } from 'vitest'
import { orchestrationRunName } from './orchestration-run-name.ts'

test.each([
  { given: 'orchestrationrun/nightly-1', name: 'nightly-1' },
  { given: 'orchestrationrun.orchestration.proompteng.ai/nightly-1', name: 'nightly-1' },
  { given: 'orchestrationrun/', name: undefined },
  { given: 'orchestrationrun', name: undefined },
  { given: 'toolrun/build', name: undefined },
  { given: 'first-run', name: undefined },
  { given: undefined, name: undefined },
])('$given names $name', ({ given, name }) => {
  expect(orchestrationRunName(given)).toBe(name)
})
