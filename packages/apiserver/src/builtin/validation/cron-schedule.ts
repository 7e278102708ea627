/** Validates a five-field cron schedule. Returns the message of the library that upstream parses it with. */
export function cronProblem(schedule: string): string | undefined {
  if (schedule.includes('TZ')) {
    return 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
  }
  if (schedule.startsWith('@')) return descriptorProblem(schedule)
  const parts = schedule.trim().split(/\s+/)
  if (parts.length !== fields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`
  }
  for (const [index, part] of parts.entries()) {
    const field = fields[index]
    if (field === undefined) continue
    for (const expression of part.split(',')) {
      const problem = rangeProblem(expression, field)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

interface Field {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const fields: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: ['', ...months] },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

function descriptorProblem(schedule: string): string | undefined {
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/.test(schedule)) return undefined
  if (!schedule.startsWith('@every ')) return `unrecognized descriptor: ${schedule}`
  const duration = schedule.slice('@every '.length)
  if (
    /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$/.test(
      duration,
    )
  ) {
    return undefined
  }
  return `failed to parse duration ${schedule}: time: invalid duration ${JSON.stringify(duration)}`
}

function rangeProblem(expression: string, field: Field): string | undefined {
  const [range = '', step, ...more] = expression.split('/')
  if (more.length > 0) return `too many slashes: ${expression}`
  const [from = '', to, ...rest] = range.split('-')
  if (rest.length > 0) return `too many hyphens: ${expression}`
  const wild = from === '*' || from === '?'
  const start = wild ? field.min : numberOf(from, field)
  if (typeof start === 'string') return start
  const single = wild || step !== undefined ? field.max : start
  const end = to === undefined ? single : numberOf(to, field)
  if (typeof end === 'string') return end
  const every = step === undefined ? 1 : numberOf(step, { min: 0, max: 0 })
  if (typeof every === 'string') return every
  if (start < field.min) {
    return `beginning of range (${start}) below minimum (${field.min}): ${expression}`
  }
  if (end > field.max) return `end of range (${end}) above maximum (${field.max}): ${expression}`
  if (start > end) {
    return `beginning of range (${start}) beyond end of range (${end}): ${expression}`
  }
  if (every === 0) return `step of range should be a positive number: ${expression}`
  return undefined
}

/** Returns the number or an error message. */
function numberOf(text: string, { names = [] }: Field): number | string {
  const named = names.indexOf(text.toLowerCase())
  if (named >= 0 && text !== '') return named
  if (/^[+]?\d+$/.test(text)) return Number(text)
  if (/^-\d+$/.test(text)) return `negative number (${text}) not allowed: ${text}`
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
}
