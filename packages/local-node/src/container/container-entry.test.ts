import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { enterContainer } from './container-entry.ts'

const isRoot = process.getuid?.() === 0

describe.skipIf(!isRoot)('a container that is entered', () => {
  const print =
    'process.stdout.write(JSON.stringify([process.cwd(), process.argv.slice(1), process.env]))'
  const enter = async (variables: Record<string, string>, workingDir = '/') => {
    const { command, environment } = enterContainer({
      root: '/',
      user: undefined,
      variables,
      workingDir,
      command: [process.execPath, '-e', print, 'a b', '$HOME'],
    })
    const [file = '', ...args] = command
    const { stdout } = await promisify(execFile)(file, args, { env: environment })
    return { command, environment, output: JSON.parse(stdout) as [string, string[], object] }
  }

  test('has its variables unchanged, and none of the node', async () => {
    const variables = {
      PATH: '/nowhere',
      QUOTED: `'"$(id)\`id\`\\ `,
      LINES: 'a\nb\n\n',
      EMPTY: '',
      IFS: 'A',
      _AGENTS_VALUE_1: 'not taken',
    }
    const { output } = await enter(variables, '/tmp')
    const { _AGENTS_VALUE_1, ...taken } = variables
    expect(output).toEqual([
      '/tmp',
      ['a b', '$HOME'],
      { ...taken, PWD: '/tmp', OLDPWD: expect.anything() },
    ])
  })

  test('exposes no value in arguments, nor to the programs that start it', async () => {
    const { command, environment } = await enter({ LD_DEBUG: 'unused-value' })
    expect(command.join(' ')).not.toContain('unused-value')
    expect(Object.keys(environment)).toEqual(['PATH', '_AGENTS_NAMES', '_AGENTS_VALUE_0'])
  })
})
