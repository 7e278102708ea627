import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { examine } from '../doctor/examine.ts'
import type { Finding } from '../doctor/finding.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Find out what keeps the platform from working',
  about: 'The exit code is 1 when something is bad.',
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json'],
      help: 'How to show it; else as text.',
    },
    ...clusterOptions,
  },
  examples: [{ does: 'look at everything', line: 'agentctl doctor' }],
  run: async ({ values }, world) => {
    const findings = await examine(values, world)
    const { style } = world.stdout
    const marks = {
      good: style.good('ok   '),
      doubtful: style.warn('maybe'),
      bad: style.bad('bad  '),
    }
    const width = Math.max(...findings.map(({ about }) => about.length))
    const lines = ({ about, verdict, says, advice = [] }: Finding): string[] => [
      `${marks[verdict]}  ${about.padEnd(width)}  ${says}`,
      ...advice.map((line) => `${' '.repeat(width + 9)}${style.dim(line)}`),
    ]
    world.stdout.write(
      values.output === 'json'
        ? `${JSON.stringify(findings, undefined, 2)}\n`
        : `${findings.flatMap(lines).join('\n')}\n`,
    )
    return findings.some(({ verdict }) => verdict === 'bad') ? exitCode.failed : exitCode.done
  },
})
