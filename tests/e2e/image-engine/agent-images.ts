import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import {
  type LocalPlatform,
  repository,
  startPlatformIn,
} from '../../support/agentctl/local-platform.ts'
import { demoScript } from '../../support/model-server/demo-script.ts'
import { type ModelServer, startModelServer } from '../../support/model-server/model-server.ts'
import { type AgentCli, cliPackages } from '../../support/testbed/agent-clis.ts'
import type { TestEngine } from '../../support/testbed/container-engine.ts'
import { subjects } from '../agent-clis/subjects.ts'

/** Aider has no image: it needs an older Python than the release of Debian that the image is based on. */
export const imageClis = [
  'codex',
  'claude-code',
  'gemini-cli',
  'opencode',
] as const satisfies AgentCli[]

export type ImageCli = (typeof imageClis)[number]

/** The images of images/agents.Dockerfile, on the image of the platform. */
export function describeAgentImages(
  engine: TestEngine,
  platformImage: string,
  clis: readonly ImageCli[],
): void {
  describe('with an agent CLI', () => {
    let model: ModelServer
    let local: LocalPlatform
    beforeAll(async () => {
      model = await startModelServer(demoScript)
      local = await startPlatformIn(engine.environment, '--container-runtime', engine.name)
    })
    afterAll(async () => {
      await local?.remove()
      await model?.close()
    })

    test.each(clis)('%s completes a run', async (cli) => {
      const image = `agents.local/agent-${cli}:test`
      await engine.build(join(repository, 'images'), image, [
        ...['--file', 'agents.Dockerfile', '--target', cli],
        ...['--build-arg', `AGENTS_IMAGE=${platformImage}`],
      ])
      const { program, version } = cliPackages[cli]
      const printed = await engine.ask([
        'run',
        '--rm',
        '--read-only',
        '--cap-drop=ALL',
        '--tmpfs=/tmp',
        image,
        program,
        '--version',
      ])
      expect(printed).toContain(version)

      const objects = join(local.stateDir, `${cli}.yaml`)
      await writeFile(
        objects,
        agentOf(cli, image, model.url)
          .map((one) => stringify(one))
          .join('---\n'),
      )
      const provider = join(repository, `charts/agents/examples/agentprovider-${cli}.yaml`)
      const applied = await local.agentctl('apply', '-f', provider, '-f', objects)
      expect(applied.code, applied.stderr).toBe(0)
      model.play(demoScript)
      const ran = await local.agentctl(
        'run',
        '--agent',
        cli,
        '--text',
        'Add the demo file',
        '--name',
        `with-${cli}`,
      )
      expect(ran.code, ran.stdout + ran.stderr).toBe(0)
      expect(model.requests.filter(({ text }) => text.includes('Add the demo file'))).not.toEqual(
        [],
      )
      const { stdout } = await local.agentctl('get', 'run', `with-${cli}`, '-o', 'json')
      const { status } = JSON.parse(stdout)
      expect(status).toMatchObject({ phase: 'Succeeded', attempts: 1 })
      expect(status.usage.inputTokens).toBeGreaterThan(0)
      await engine.ask(['image', 'rm', '--force', image])
    })
  })
}

function agentOf(cli: AgentCli, image: string, url: string): object[] {
  const subject = subjects.find((one) => one.cli === cli)
  if (subject === undefined) throw new Error(`${cli} has no subject`)
  const env = Object.entries({ ...subject.env(url), [subject.key]: 'demo' })
  return [
    {
      apiVersion: 'agents.proompteng.ai/v1alpha1',
      kind: 'Agent',
      metadata: { name: cli },
      spec: {
        providerRef: { name: cli },
        env: env.map(([name, value]) => ({ name, value })),
        defaults: { image, timeoutSeconds: 240 },
      },
    },
  ]
}
