import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { chooseFormat } from './choose-format.ts'
import { createLogger, type LoggerOptions } from './logger.ts'

const noon = new Date('2026-01-02T12:00:00.500Z')

function capture(options: Omit<LoggerOptions, 'sink' | 'clock'> = {}) {
  const lines: string[] = []
  const log = createLogger({
    ...options,
    sink: { write: (line) => lines.push(line) },
    clock: () => noon,
  })
  return { log, lines }
}

describe('JSON lines', () => {
  test('a line has time, level, message and the fields', () => {
    const { log, lines } = capture()
    log.with({ kind: 'AgentRun' }).info('reconciled', { name: 'run-1', generation: 2 })
    expect(lines).toEqual([
      '{"time":"2026-01-02T12:00:00.500Z","level":"info","message":"reconciled","kind":"AgentRun","name":"run-1","generation":2}\n',
    ])
  })

  test.each([
    { level: 'debug', written: ['debug', 'info', 'warn', 'error'] },
    { level: 'info', written: ['info', 'warn', 'error'] },
    { level: 'warn', written: ['warn', 'error'] },
    { level: 'error', written: ['error'] },
  ] as const)('level $level writes $written', ({ level, written }) => {
    const { log, lines } = capture({ level })
    log.debug('x')
    log.info('x')
    log.warn('x')
    log.error('x')
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(written)
  })

  test('a call overrides a bound field, and the parent logger is not changed', () => {
    const { log, lines } = capture()
    const child = log.with({ a: 1, b: 1 })
    child.info('x', { a: 2 })
    log.info('x')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ a: 2, b: 1 })
    expect(JSON.parse(lines[1] ?? '')).not.toHaveProperty('a')
  })

  test("a field cannot replace the line's own level", () => {
    const { log, lines } = capture()
    log.error('x', { level: 'info', message: 'all well' })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'error',
      message: 'x',
      level_: 'info',
      message_: 'all well',
    })
  })

  test('context fields are evaluated for each line', () => {
    const lines: string[] = []
    let trace = 'one'
    const log = createLogger({
      sink: { write: (line) => lines.push(JSON.parse(line)) },
      context: () => ({ trace, by: 'context' }),
    }).with({ kind: 'AgentRun' })
    log.info('x')
    trace = 'two'
    log.info('x', { by: 'caller' })
    expect(lines).toMatchObject([
      { kind: 'AgentRun', trace: 'one', by: 'context' },
      { kind: 'AgentRun', trace: 'two', by: 'caller' },
    ])
  })

  test('a value with line ends stays on its line', () => {
    const { log, lines } = capture()
    log.info('one\ntwo', { a: 'x\r\ny' })
    expect(lines[0]?.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('redaction', () => {
  test.each(['json', 'pretty'] as const)(
    '%s: message, fields, bound fields and errors',
    (format) => {
      const { log, lines } = capture({ format })
      log
        .with({ remote: 'https://u:hunter2@git.test' })
        .error('token=hunter2', { password: 'hunter2', error: new Error('token: "hunter2"') })
      expect(lines.join('')).not.toContain('hunter2')
      expect(lines).toHaveLength(1)
    },
  )
})

describe('pretty', () => {
  test('a line is readable for people', () => {
    const { log, lines } = capture({ format: 'pretty' })
    log.warn('queue is full', { namespace: 'agents', reason: 'no room left', depth: 200 })
    expect(lines).toEqual([
      '12:00:00.500 WARN  queue is full namespace=agents reason="no room left" depth=200\n',
    ])
  })

  test('an error is printed below the line, with its causes', () => {
    const { log, lines } = capture({ format: 'pretty' })
    const cause = Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED' })
    log.error('not archived', { error: new Error('cannot connect', { cause }) })
    const text = (lines[0] ?? '').split('\n').filter((line) => !line.includes(' at '))
    expect(text).toEqual([
      '12:00:00.500 ERROR not archived',
      '  error: Error: cannot connect',
      '    caused by TypeError: refused code=ECONNREFUSED',
      '',
    ])
  })

  test('colours are used only if requested', () => {
    const colour = '\u001b['
    const plain = capture({ format: 'pretty' })
    const colored = capture({ format: 'pretty', color: true })
    plain.log.info('x', { a: 1 })
    colored.log.info('x', { a: 1 })
    expect(plain.lines[0]).not.toContain(colour)
    expect(colored.lines[0]).toContain(colour)
  })

  test('logged text cannot control the terminal', () => {
    const { log, lines } = capture({ format: 'pretty' })
    log.info('a\u001b[2Jb\nINFO forged', { '\u001b[31m': 'x\u0007y\u202e' })
    expect(lines[0]?.trimEnd()).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(lines[0]?.trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('a broken sink', () => {
  test('a write that throws does not reach the caller', () => {
    const log = createLogger({
      sink: {
        write: () => {
          throw new Error('EPIPE')
        },
      },
    })
    expect(() => log.info('x')).not.toThrow()
  })

  test('an error event of the stream does not end the process, and loggers share one listener', () => {
    const sink = new PassThrough()
    createLogger({ sink })
    createLogger({ sink })
    expect(sink.listenerCount('error')).toBe(1)
    expect(sink.emit('error', new Error('EPIPE'))).toBe(true)
  })
})

describe('the format', () => {
  test.each([
    {
      because: 'a person at a terminal',
      wanted: 'auto',
      isTerminal: true,
      noColor: false,
      format: 'pretty',
      color: true,
    },
    {
      because: 'a person with NO_COLOR',
      wanted: 'auto',
      isTerminal: true,
      noColor: true,
      format: 'pretty',
      color: false,
    },
    {
      because: 'a pipe',
      wanted: 'auto',
      isTerminal: false,
      noColor: false,
      format: 'json',
      color: false,
    },
    {
      because: 'pretty into a file has no colours',
      wanted: 'pretty',
      isTerminal: false,
      noColor: false,
      format: 'pretty',
      color: false,
    },
    {
      because: 'JSON on a terminal, if requested',
      wanted: 'json',
      isTerminal: true,
      noColor: false,
      format: 'json',
      color: false,
    },
  ] as const)('$because', ({ wanted, isTerminal, noColor, format, color }) => {
    expect(chooseFormat(wanted, { isTerminal, noColor })).toEqual({ format, color })
  })
})
