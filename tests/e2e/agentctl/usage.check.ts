import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalPlatform, startPlatform } from '../../support/agentctl/local-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'

let platform: LocalPlatform

beforeAll(async () => {
  platform = await startPlatform('--http-port', '0', '--no-sample')
})
afterAll(() => platform?.remove())

const patience = { timeoutMs: 200_000 }

/** Reports 100 tokens a second in the file that any program may write. */
const spends = `
n=0
while sleep 1; do
  n=$((n + 100))
  echo "{\\"usage\\": {\\"inputTokens\\": $n, \\"turns\\": 1}}" > "$AGENT_REPORT_PATH.new"
  mv "$AGENT_REPORT_PATH.new" "$AGENT_REPORT_PATH"
done`

async function apply(...objects: readonly object[]): Promise<void> {
  const file = join(platform.stateDir, 'objects.json')
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  const { code, stderr } = await platform.agentctl('apply', '-f', file)
  expect({ code, stderr }).toMatchObject({ code: 0 })
}

async function get(kind: string, name: string) {
  const { stdout } = await platform.agentctl('get', kind, name, '-o', 'json')
  return JSON.parse(stdout) as {
    status?: {
      phase?: string
      usage?: Record<string, number>
      progress?: Record<string, number | string>
      used?: Record<string, string>
      source?: string
      conditions?: { type: string; reason: string }[]
    }
  }
}

test('a Budget stops an agent while it works', async () => {
  const agents = 'agents.proompteng.ai/v1alpha1'
  await apply(
    {
      apiVersion: agents,
      kind: 'AgentProvider',
      metadata: { name: 'spender' },
      spec: { binary: 'agent-runner', argsTemplate: ['--', 'sh', '-c', spends] },
    },
    {
      apiVersion: agents,
      kind: 'Agent',
      metadata: { name: 'spender' },
      spec: { providerRef: { name: 'spender' } },
    },
    {
      apiVersion: 'budgets.proompteng.ai/v1alpha1',
      kind: 'Budget',
      metadata: { name: 'spender' },
      spec: { limits: { tokens: '1500' }, scope: { agentRef: { name: 'spender' } } },
    },
    {
      apiVersion: agents,
      kind: 'AgentRun',
      metadata: { name: 'spender' },
      spec: {
        agentRef: { name: 'spender' },
        implementation: { inline: { text: 'Spend.' } },
        runtime: { type: 'job' },
      },
    },
  )
  let shown: Record<string, number | string> | undefined
  await until(
    async () => {
      const { status } = await get('agentrun', 'spender')
      shown ??= status?.progress
      return status?.phase === 'Failed'
    },
    'the run was not stopped',
    patience,
  )
  expect(shown).toMatchObject({ inputTokens: expect.any(Number), turns: 1 })
  const { status } = await get('agentrun', 'spender')
  const finished = status?.conditions?.find(({ type }) => type === 'Finished')
  expect(finished?.reason).toBe('BudgetExceeded')
  expect(status?.progress).toBeUndefined()
  // The second report passes the limit: some seconds of spending are beyond it, and no more.
  const { inputTokens = 0 } = status?.usage ?? {}
  expect(inputTokens).toBeGreaterThan(1500)
  expect(inputTokens).toBeLessThan(4500)
  await until(
    async () => (await get('budget', 'spender')).status?.used?.tokens === `${inputTokens}`,
    'the Budget shows another amount',
    patience,
  )
})

test('a run that is deleted counts, once, also after the platform was killed', async () => {
  const { inputTokens } = (await get('agentrun', 'spender')).status?.usage ?? {}
  const source = 'the runs that the cluster holds, and the ledger for those that are deleted'
  const counts = async (): Promise<boolean> => {
    const { status } = await get('budget', 'spender')
    return status?.used?.tokens === `${inputTokens}` && status.source === source
  }
  await until(counts, 'the ledger is not read', patience)
  const listed = await platform.agentctl('budgets')
  expect(listed.stdout).toMatch(/^NAME +STATE +LIMIT OF +LIMIT +USED +RESERVED +WINDOW ENDS\n/)
  expect(listed.stdout).toMatch(new RegExp(`spender +Exceeded +tokens +1500 +${inputTokens} +0 +-`))
  const shown = await platform.agentctl('budgets', 'spender')
  expect(shown.stdout).toMatch(new RegExp(`\nspender +Failed +${inputTokens} `))
  expect(await platform.agentctl('budgets', 'none')).toMatchObject({ code: 3, stdout: '' })
  expect((await platform.agentctl('delete', 'agentrun', 'spender')).code).toBe(0)
  await until(async () => (await platform.agentctl('get', 'agentrun', 'spender')).code !== 0)
  for (let kill = 0; kill < (isFull ? 2 : 1); kill += 1) {
    platform.up().child.kill('SIGKILL')
    await platform.up().finished
    await platform.startAgain('--http-port', '0', '--no-sample')
    // A limit that is not reached shows a new count.
    const limit = {
      limits: { tokens: `${100_000 + kill}` },
      scope: { agentRef: { name: 'spender' } },
    }
    await apply({
      apiVersion: 'budgets.proompteng.ai/v1alpha1',
      kind: 'Budget',
      metadata: { name: 'spender' },
      spec: limit,
    })
    await until(
      async () => (await get('budget', 'spender')).status?.phase === 'Active',
      'the Budget was not counted again',
      patience,
    )
    await until(counts, 'the deleted run does not count', patience)
    const { stdout } = await platform.agentctl('budgets', 'spender')
    expect(stdout).toMatch(new RegExp(`\n\\(deleted runs\\) +- +${inputTokens} `))
  }
})
