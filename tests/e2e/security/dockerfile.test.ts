import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const dockerfile = readFileSync(join(import.meta.dirname, '../../../Dockerfile'), 'utf8')

test('the image is built on bases that are named by digest', () => {
  const stages = [...dockerfile.matchAll(/^FROM\s+(\S+)(?:\s+AS\s+(\S+))?/gim)]
  expect(stages.length).toBeGreaterThan(0)
  const own = stages.map(([, , name]) => name)
  const defaults = new Map(
    [...dockerfile.matchAll(/^ARG\s+(\w+)=(\S+)/gm)].map(([, name, value]) => [`$${name}`, value]),
  )
  const loose = stages
    .map(([, image = '']) => defaults.get(image) ?? image)
    .filter((image) => !own.includes(image) && !/^[^@\s]+:[^@\s]+@sha256:[0-9a-f]{64}$/.test(image))
  expect(loose).toEqual([])
})
