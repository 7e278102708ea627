import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { markersIn, newMarker } from './marker-secrets.ts'
import { watchProcesses } from './process-watch.ts'

const marker = newMarker('planted')
const { value } = marker
const bytes = Buffer.from(value)

describe('a marker is found', () => {
  test.each([
    ['as it is', `a ${value} b`],
    ['in base64', bytes.toString('base64')],
    ['in base64url', bytes.toString('base64url')],
    ['after one byte in base64', Buffer.from(`x${value}y`).toString('base64')],
    ['after two bytes in base64', Buffer.from(`xx${value}yy`).toString('base64')],
    ['in hexadecimal', bytes.toString('hex')],
    ['in upper-case hexadecimal', bytes.toString('hex').toUpperCase()],
    ['in a URL', `https://user:${encodeURIComponent(value)}@host`],
    ['in JSON', JSON.stringify({ value })],
  ])('%s', (_, text) => {
    expect(markersIn([marker, newMarker('other')], text)).toEqual(['planted'])
    expect(markersIn([newMarker('planted')], text)).toEqual([])
  })

  test.runIf(process.platform === 'linux')(
    'in the arguments and variables of a process, with its command',
    async () => {
      const watch = watchProcesses([marker])
      const argument = spawn('/bin/sh', ['-c', 'read line', 'by-argument', value])
      const variable = spawn('/bin/sh', ['-c', 'read line', 'by-variable'], { env: { A: value } })
      await expect
        .poll(() => watch.seen().map(({ where, command }) => [where, command.split(' ')[4]]))
        .toEqual(
          expect.arrayContaining([
            ['argv', 'by-argument'],
            ['environ', 'by-variable'],
          ]),
        )
      for (const child of [argument, variable]) {
        const ended = once(child, 'exit')
        child.stdin.end()
        await ended
      }
      expect(await watch.stop()).toHaveLength(2)
    },
  )
})
