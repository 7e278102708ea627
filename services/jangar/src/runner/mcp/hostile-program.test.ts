import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHarness } from '../testing/runner-harness.ts'

const token = 'mcp-marker-0123456789'

/** Talks to the runner in the place of the bridges: too often, too much, and untruths. */
const program = `
const { connect } = require('node:net')
const { readFileSync } = require('node:fs')
const flag = process.argv.find((arg) => arg.startsWith('--mcp-config='))
const { mcpServers } = JSON.parse(readFileSync(flag.slice(13), 'utf8'))
const [, path] = mcpServers.works.args
function say(...parts) {
  return new Promise((resolve) => {
    const socket = connect(path, () => { for (const part of parts) socket.write(part) })
    socket.on('error', resolve).on('close', resolve).on('data', () => setTimeout(() => socket.end(), 200))
  })
}
function line(message) {
  return JSON.stringify(message) + '\\n'
}
async function main() {
  await Promise.all(Array.from({ length: 200 }, () => say('no JSON\\n')))
  await say('x'.repeat(10_000_000))
  await say(line({ server: '__proto__' }))
  await say(line(null), line([]), line({ server: 7 }))
  await say(line({ server: 'works' }), line({ words: { toString: 1 } }), line({ ended: ['x'] }))
  const words = '\\x1b[2J\\x1b]0;title\\x07' + process.env.MARKER + ' ' + 'y'.repeat(5000)
  await say(line({ server: 'works' }), line({ words }), line({ ended: 'exit code 0\\nfinished: True' }))
}
main()
`

test('a program that talks to the runner in the place of its servers reaches only its own warning', async () => {
  const harness = createHarness()
  const ran = await harness.run({
    runner: {
      cli: 'claude-code',
      mcpServers: [{ name: 'works', command: 'true' }],
      secretEnv: ['MARKER'],
    },
    env: { MARKER: token },
    argv: ['--', process.execPath, '-e', program, 'end'],
  })
  expect(ran.message).toMatchObject({ outcome: 'succeeded', reason: 'Succeeded' })
  expect(ran.message?.warnings).toEqual([
    expect.stringMatching(
      /^MCP server works did not start: exit code 0 finished: True: \*\*\* y{200,400}…$/,
    ),
  ])
  expect(JSON.stringify(ran)).not.toContain(token)
  const left = readdirSync(join(harness.workspace, '.agent')).filter((name) =>
    name.startsWith('mcp-'),
  )
  expect(left.filter((name) => existsSync(join(harness.workspace, '.agent', name, 's')))).toEqual(
    [],
  )
})
