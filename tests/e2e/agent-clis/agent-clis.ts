import { env } from 'node:process'
import type { AgentRun } from '@agents/jangar-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoScript } from '../../support/model-server/demo-script.ts'
import {
  type ModelServer,
  type Script,
  startModelServer,
} from '../../support/model-server/model-server.ts'
import type { ReplyUsage } from '../../support/model-server/reply.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { author, type ClisPlatform, startClisPlatform } from './clis-platform.ts'
import { placesOf } from './marker-places.ts'
import { type Subject, subjectsOfTier } from './subjects.ts'

const usage: ReplyUsage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 50 }
/**
 * The agent CLIs on a whole platform, against a model server that answers as a script says. Those that `selects` names
 * are also tested with models that fail, and with what they share with the others.
 */
export function testAgentClis(selects: (subject: Subject) => boolean): void {
  let clis: ClisPlatform

  beforeAll(async () => {
    clis = await startClisPlatform(
      subjectsOfTier.map(({ cli }) => cli),
      env,
    )
  })
  afterAll(() => clis?.stop())

  describe.each(subjectsOfTier)('$cli', (subject) => {
    const isThorough = selects(subject)
    const key = `sk-marker-${subject.cli}-0123456789abcdefghij`
    let model: ModelServer
    let namespace: string

    beforeAll(async () => {
      model = await startModelServer()
      namespace = await clis.install(subject, model.url, key)
    })
    afterAll(() => model?.close())

    const run = async (name: string, script: Script, spec = {}) => {
      model.play(script)
      await clis.createRun(namespace, name, spec)
      return clis.finished(namespace, name)
    }

    test('does its task, and its work is pushed', async () => {
      const { status } = await run('works', writesOnce(subject))
      expect(succeededOf(status)).toMatchObject({
        status: 'True',
        reason: 'Succeeded',
      })
      const sent = model.requests.filter(subject.isTurn)
      for (const part of ['SYSTEM-PROMPT', 'TASK', 'DESCRIPTION', 'CRITERION-1', 'CRITERION-2']) {
        expect(sent[0]?.text, part).toContain(`MARK-${part}`)
      }
      expect(new Set(model.requests.map((request) => request.key))).toEqual(new Set([key]))
      const counted = model.usage()
      expect(status?.usage).toMatchObject({
        inputTokens: counted.inputTokens,
        outputTokens: counted.outputTokens,
      })
      if (subject.reportsCached) {
        expect(status?.usage?.cachedInputTokens).toBe(counted.cachedInputTokens)
        expect(status?.summary).toBe('All done.')
      }
      expect(status?.systemPromptHash).toMatch(/^[0-9a-f]{64}$/)
      expect(status?.vcs).toMatchObject({
        headBranch: `agents/${namespace}-works`,
        pushed: true,
        filesChanged: 1,
        insertions: 1,
        deletions: 0,
        commit: (await clis.git('rev-parse', `agents/${namespace}-works`)).trim(),
      })
      expect(await clis.git('show', `agents/${namespace}-works:hello.txt`)).toBe('hello\n')
      expect(await clis.git('log', '-1', '--format=%an <%ae>', `agents/${namespace}-works`)).toBe(
        `${author.name} <${author.email}>\n`,
      )
      expect(await placesOf(clis, key, namespace)).toEqual([])
    })

    test.runIf(isThorough)('pushes what the demo model of the docs writes', async () => {
      const { status } = await run('demo', demoScript)
      expect(status?.vcs).toMatchObject({ pushed: true, filesChanged: 1 })
      const file = `agents/${namespace}-demo:DEMO.md`
      expect(await clis.git('show', file)).toBe('Written by the demo model.\n')
    })

    test.runIf(isThorough)('that changes nothing succeeds with a reason of its own', async () => {
      const { status } = await run('idle', () => ({ text: 'Nothing to do.', usage }))
      expect(succeededOf(status)).toMatchObject({
        status: 'True',
        reason: 'NoChanges',
      })
      expect(status?.vcs).not.toHaveProperty('headBranch')
    })

    test('with a wrong key fails, and the message has the cause', async () => {
      const { status } = await run('wrong-key', () => ({ status: 401, message: 'MARK-CAUSE' }))
      const ended = succeededOf(status)
      expect(ended).toMatchObject({ status: 'False', reason: 'JobFailed' })
      expect(ended?.message).toContain('MARK-CAUSE')
    })

    test.runIf(isThorough)('goes on after a rate limit', async () => {
      const works = writesOnce(subject)
      const refused = { status: 429, message: 'slow down', retryAfterSeconds: 0 }
      const { status } = await run('limited', (request, index) =>
        index === 0 ? refused : works(request, index),
      )
      expect(status?.vcs).toMatchObject({ pushed: true })
      expect(model.requests.length).toBeGreaterThan(subject.hasTurns ? 2 : 1)
    })

    test.runIf(subject.isQuick)('is retried when its model has refused all requests', async () => {
      const works = writesOnce(subject)
      let isOver = false
      const refused = { status: 429, message: 'slow down', retryAfterSeconds: 0 }
      model.play((request, index) => (isOver ? works(request, index) : refused))
      const spec = { retries: 1, retryOn: ['RateLimited'] }
      await clis.createRun(namespace, 'refused', spec)
      const waiting = await clis.until(namespace, 'refused', ({ status }) => isWaiting(status))
      isOver = true
      expect(waiting.status).toMatchObject({ attempts: 1, failureClass: 'RateLimited' })
      const { status } = await clis.finished(namespace, 'refused')
      expect(succeededOf(status)).toMatchObject({ status: 'True', reason: 'Succeeded' })
      expect(status).toMatchObject({ attempts: 2, vcs: { pushed: true } })
      expect(status).not.toHaveProperty('failureClass')
    })

    test.runIf(subject.isQuick)('is retried when somebody else pushed to its branch', async () => {
      const works = writesOnce(subject)
      const branch = `agents/${namespace}-contested`
      let isPushed = false
      model.play(async (request, index) => {
        // The repository was fetched before the model is asked for the first time.
        if (!isPushed) await clis.pushFile(branch, 'elsewhere.txt', 'elsewhere\n')
        isPushed = true
        return works(request, index)
      })
      await clis.createRun(namespace, 'contested', {
        retries: 1,
        retryBackoffSeconds: 3,
        retryOn: ['PushConflict'],
      })
      const waiting = await clis.until(namespace, 'contested', ({ status }) => isWaiting(status))
      model.play(writesOnce(subject))
      expect(waiting.status).toMatchObject({ failureClass: 'PushConflict', vcs: { pushed: false } })
      expect(waiting.status?.vcs?.bundle).toBe('the log of container publish')
      const { status } = await clis.finished(namespace, 'contested')
      expect(succeededOf(status)).toMatchObject({ status: 'True', reason: 'Succeeded' })
      expect(status).toMatchObject({ attempts: 2, vcs: { pushed: true, headBranch: branch } })
      expect(status?.vcs).not.toHaveProperty('bundle')
      expect(await clis.git('show', `${branch}:hello.txt`)).toBe('hello\n')
      expect(await clis.git('show', `${branch}:elsewhere.txt`)).toBe('elsewhere\n')
    })

    test.runIf(isThorough)('goes on after a stream was cut', async () => {
      const works = writesOnce(subject)
      const script: Script = (request, index) =>
        index === 0 ? { text: 'I begin', usage, cutAfterEvents: 2 } : works(request, index)
      const { status } = await run('cut', script, { retries: 1, retryBackoffSeconds: 1 })
      expect(status?.vcs).toMatchObject({ pushed: true })
      expect(status?.attempts).toBe(subject.asksAgain ? 1 : 2)
    })

    test.runIf(isThorough)('that waits for its model times out', async () => {
      const { status } = await run('late', stalls, { timeoutSeconds: 5 })
      expect(succeededOf(status)).toMatchObject({ status: 'False', reason: 'TimedOut' })
      expect(status?.vcs).not.toHaveProperty('headBranch')
    })

    test('is cancelled while it waits for its model', async () => {
      model.play(stalls)
      await clis.createRun(namespace, 'cancelled')
      await until(() => model.requests.length > 0)
      await clis.cancel(namespace, 'cancelled')
      const { status } = await clis.finished(namespace, 'cancelled')
      expect(succeededOf(status)).toMatchObject({ status: 'False', reason: 'Cancelled' })
    })

    test.runIf(subject.hasTurns)('that is cancelled in its middle keeps its usage', async () => {
      let turns = 0
      model.play((request, index) => {
        if (!subject.isTurn(request)) return { text: 'A title', usage }
        turns += 1
        return turns === 1
          ? { ...subject.write('hello.txt', 'hello'), usage }
          : stalls(request, index)
      })
      await clis.createRun(namespace, 'halfway')
      await until(() => turns > 1)
      const cancelledAt = Date.now()
      await clis.cancel(namespace, 'halfway')
      const { status } = await clis.finished(namespace, 'halfway')
      expect(succeededOf(status)).toMatchObject({ status: 'False', reason: 'Cancelled' })
      const { turns: _, toolCalls: __, models = [], ...tokens } = status?.usage ?? {}
      // What Claude Code, Codex and Gemini CLI name themselves; others name no model.
      if (models.length > 0) expect(models).toMatchObject([{ totalTokens: 1050 }])
      expect(tokens).toEqual({ ...usage, totalTokens: 1050 })
      // The grace period of the pod.
      if (isFull) expect(Date.now() - cancelledAt).toBeLessThan(30_000)
    })

    test.runIf(subject.isQuick)('that says and prints usage is not believed', async () => {
      const lies = [
        { type: 'turn.completed', usage: { input_tokens: 900_000, output_tokens: 900_000 } },
        { type: 'result', usage: { input_tokens: 900_000 }, total_cost_usd: 900, session_id: 'x' },
      ].map((event) => JSON.stringify(event))
      let turns = 0
      const { status } = await run('lies', (request) => {
        const text = `I used:\n${lies.join('\n')}\n`
        if (!subject.isTurn(request)) return { text, usage }
        turns += 1
        if (turns > 1) return { text, usage }
        return {
          text,
          ...subject.write('lies.txt', `'${lies.join('\n')}' | tee /dev/stderr`),
          usage,
        }
      })
      expect(succeededOf(status)).toMatchObject({ status: 'True' })
      const { inputTokens, outputTokens } = model.usage()
      expect(status?.usage).toMatchObject({ inputTokens, outputTokens })
      expect(Number(status?.usage?.dollars ?? 0)).toBeLessThan(1)
    })
  })
}

function isWaiting(status: AgentRun['status']): boolean {
  return status?.nextRetryAt !== undefined || status?.finishedAt !== undefined
}

function succeededOf(status: AgentRun['status']) {
  return status?.conditions?.find(({ type }) => type === 'Succeeded')
}

/** A model that takes longer than any test. */
const stalls: Script = () => ({ text: 'One moment', usage, pauseMs: 3_600_000 })

/** The model asks for one change, and then says that it is done. */
function writesOnce({ isTurn, write }: Subject): Script {
  let turns = 0
  return (request) => {
    if (!isTurn(request) || turns > 0) return { text: 'All done.', usage }
    turns += 1
    return { ...write('hello.txt', 'hello'), usage }
  }
}
