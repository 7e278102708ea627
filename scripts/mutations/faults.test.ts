import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readProjectFiles } from '../test/results/project-files.ts'
import { suites } from '../test/suites.ts'
import { withFault } from './fault.ts'
import { faults } from './faults.ts'
import { testFiles } from './test-files.ts'

const project = readProjectFiles(join(import.meta.dirname, '../..'))

test('there are thirty, each with a name of its own', () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(30)
  expect(faults).toHaveLength(30)
})

test.each(faults)('$name: it can be put back, and its tests exist', (fault) => {
  const text = project.text(fault.file)
  expect(withFault(fault, text)).not.toBe(text)
  expect(fault.commit).toMatch(/^[0-9a-f]{8}$/)
  for (const name of fault.tests) {
    const { full } = testFiles([name], project.paths, suites)
    expect(full.files, name).not.toEqual([])
    expect(full.projects, name).not.toEqual([])
  }
})
