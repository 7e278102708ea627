import type { Tool } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { toolProblem } from './tool-problem.ts'

const good = { image: 'local', command: ['echo'], args: ['{{ parameters.x }}'] }

function check(spec: object | undefined): string {
  const problem = toolProblem({ spec } as Pick<Tool, 'spec'>)
  return problem === undefined ? 'valid' : `${problem.reason}: ${problem.message}`
}

const fromSecret = { secretKeyRef: { name: 's', key: 'k' } }

describe('a Tool', () => {
  test.each([
    { because: 'parameters need not be declared', spec: good },
    { because: 'args are enough for an entrypoint', spec: { image: 'local', args: ['x'] } },
    {
      because: 'a script reads a parameter from its variable',
      spec: { image: 'local', command: ['/bin/sh', '-c'], args: ['echo "$TOOL_PARAM_X"'] },
    },
    {
      because: 'positional arguments of a script are data',
      spec: {
        image: 'local',
        command: ['sh', '-ec', 'echo "$1"', 'sh', '{{ parameters.x }}'],
      },
    },
    {
      because: 'literal braces are no template',
      spec: { image: 'local', command: ['sh', '-c', 'echo \'{{ "{{" }}\''] },
    },
    {
      because: 'facts of run and tool are known',
      spec: {
        ...good,
        env: [
          { name: 'A', value: '{{ toolRun.metadata.name }} {{ toolRun.uid }} {{ tool.name }}' },
          { name: 'B', valueFrom: fromSecret },
        ],
      },
    },
    {
      because: 'a declared parameter always has a value',
      spec: {
        image: 'local',
        args: ['{{ parameters.a }}', '{{ parameters.b }}'],
        parameters: [
          { name: 'a', default: '' },
          { name: 'b', required: true },
        ],
      },
    },
  ])('is valid: $because', ({ spec }) => {
    expect(check(spec)).toBe('valid')
  })

  test.each([
    { spec: undefined, because: 'MissingImage: spec.image is missing' },
    { spec: { command: ['a'] }, because: 'MissingImage' },
    { spec: { ...good, image: '  ' }, because: 'MissingImage' },
    { spec: { image: 'a', command: [], args: [] }, because: 'MissingCommand' },
    {
      spec: { ...good, args: ['{{ parameters.x'] },
      because: 'InvalidTemplate: spec.args[0]: {{ at 0 is not closed',
    },
    {
      spec: { ...good, command: ['{{ agent.name }}'] },
      because: 'InvalidTemplate: spec.command[0]: agent.name does not exist',
    },
    {
      spec: { ...good, args: ['{{ tool.metadata }}'] },
      because: 'InvalidTemplate: spec.args[0]: tool.metadata does not exist',
    },
    {
      spec: { ...good, args: ['{{ parameters }}'] },
      because: 'InvalidTemplate: spec.args[0]: parameters does not exist',
    },
    {
      spec: { ...good, args: ['{{ toolRun.constructor }}'] },
      because: 'InvalidTemplate: spec.args[0]: toolRun.constructor does not exist',
    },
    {
      spec: { ...good, parameters: [{ name: 'y' }] },
      because: 'InvalidTemplate: spec.args[0]: x is not in spec.parameters',
    },
    {
      spec: { ...good, parameters: [{ name: 'x' }] },
      because: 'InvalidTemplate: spec.args[0]: a run may omit the parameter x',
    },
    {
      spec: { image: 'a', command: ['/bin/bash', '-euxc'], args: ['rm {{ parameters.a-b }}'] },
      because: 'InvalidTemplate: spec.args[0]: a template in a script lets its value add commands',
    },
    {
      spec: { image: 'a', command: ['busybox', 'sh', '-c', 'rm {{ parameters.a-b }}'] },
      because: 'use "$TOOL_PARAM_A_B" in the script',
    },
    {
      spec: { image: 'a', command: ['python3.12', '-c', 'print("{{ toolRun.name }}")'] },
      because: 'use a variable of spec.env in quotes in the script',
    },
    {
      spec: { image: 'a', command: ['node', '--eval', '{{ parameters.x }}'] },
      because: 'InvalidTemplate: spec.command[2]',
    },
    {
      spec: { ...good, parameters: [{ name: 'a-b' }, { name: 'A_B' }] },
      because: 'InvalidParameters: spec.parameters: the parameters a-b and A_B have the same',
    },
    {
      spec: { ...good, env: [{ name: 'TOOL_OUTPUTS', value: '/etc/passwd' }] },
      because: 'InvalidEnvironment: spec.env[0].name TOOL_OUTPUTS is reserved',
    },
    {
      spec: { ...good, env: [{ name: 'TOOL_PARAM_X', value: '' }] },
      because: 'InvalidEnvironment: spec.env[0].name TOOL_PARAM_X is reserved',
    },
    {
      spec: { ...good, env: [{ name: 'A=B', value: '' }] },
      because: 'InvalidEnvironment: spec.env[0].name "A=B" is not a valid name',
    },
    {
      spec: {
        ...good,
        env: [
          { name: 'A', value: '' },
          { name: 'A', valueFrom: fromSecret },
        ],
      },
      because: 'InvalidEnvironment: spec.env[1].name A is used twice',
    },
    {
      spec: { ...good, resources: { limits: { cpu: 'much' } } },
      because: 'InvalidLimits: spec.resources.limits.cpu is much',
    },
    {
      spec: { ...good, timeoutSeconds: -1 },
      because: 'InvalidLimits: spec.timeoutSeconds is negative',
    },
    {
      spec: { ...good, podSecurityContext: { runAsUser: 65533 } },
      because: 'InvalidSecurityContext: spec.podSecurityContext.runAsUser is reserved',
    },
  ])('is invalid: $because', ({ spec, because }) => {
    expect(check(spec)).toContain(because)
  })
})
