export interface ShownStep {
  readonly name: string
  readonly kind: string
  readonly dependsOn?: readonly string[] | undefined
  readonly finally?: boolean | undefined
  readonly runAfter?: string | undefined
  /** The object that the step refers to. */
  readonly refers?: string | undefined
  readonly when?: string | undefined
  /** What the step is repeated for. */
  readonly forEach?: string | undefined
  /** In a run. */
  readonly status?: {
    readonly phase: string
    readonly reason?: string | undefined
    readonly message?: string | undefined
    readonly items?: string | undefined
  }
}

interface Node {
  readonly step: ShownStep
  readonly below: Node[]
  /** The dependency that the step is drawn below. */
  readonly above: string | undefined
}

/**
 * The lines of a tree. A step is drawn below the last of its dependencies; a sequence is drawn without indentation, so
 * that a long one is not wide. Every step of an invalid graph is drawn too.
 */
export function drawGraph(steps: readonly ShownStep[]): string[] {
  const ordinary = drawSteps(steps.filter((step) => !step.finally))
  const last = drawSteps(steps.filter((step) => step.finally))
  const below = last.map((line, index) => {
    if (/^[├└│ ]/.test(line)) return line
    return index === 0 ? `└─ ${line}` : `   ${line}`
  })
  return last.length === 0 ? ordinary : [...ordinary, 'finally', ...below]
}

function drawSteps(steps: readonly ShownStep[]): string[] {
  const lines: string[] = []
  const draw = (siblings: readonly Node[], prefix: string): void => {
    const [first] = siblings
    if (siblings.length === 1 && first !== undefined) {
      lines.push(`${prefix}${lineOf(first)}`)
      draw(first.below, prefix)
      return
    }
    for (const [index, node] of siblings.entries()) {
      const isLast = index === siblings.length - 1
      lines.push(`${prefix}${isLast ? '└─ ' : '├─ '}${lineOf(node)}`)
      draw(node.below, `${prefix}${isLast ? '   ' : '│  '}`)
    }
  }
  draw(treeOf(steps), '')
  return lines
}

/** The steps that nothing is above, with the others below them. */
function treeOf(steps: readonly ShownStep[]): readonly Node[] {
  const roots: Node[] = []
  const placed = new Map<string, Node>()
  const order: string[] = []
  const place = (step: ShownStep, above: string | undefined): void => {
    const node: Node = { step, below: [], above }
    const siblings = above === undefined ? roots : (placed.get(above)?.below ?? roots)
    siblings.push(node)
    if (placed.has(step.name)) return
    placed.set(step.name, node)
    order.push(step.name)
  }
  const known = new Set(steps.map(({ name }) => name))
  let remaining = steps
  while (remaining.length > 0) {
    const isNext = ({ dependsOn = [] }: ShownStep) =>
      dependsOn.every((name) => placed.has(name) || !known.has(name))
    const next = remaining.filter(isNext)
    // The rest waits for each other.
    if (next.length === 0) break
    remaining = remaining.filter((step) => !isNext(step))
    const before = [...order]
    for (const step of next) {
      place(
        step,
        before.findLast((name) => step.dependsOn?.includes(name)),
      )
    }
  }
  for (const step of remaining) place(step, undefined)
  return roots
}

const longestText = 100

function lineOf({ step, above }: Node): string {
  const { name, kind, refers, status, when, forEach, runAfter } = step
  const others = (step.dependsOn ?? []).filter((one) => one !== above)
  const why = [status?.reason, status?.message].filter(Boolean).join(': ')
  return [
    name,
    status?.phase,
    refers ? `${kind} ${refers}` : kind,
    status?.items,
    forEach && `for each of ${shorten(forEach)}`,
    when && `if ${shorten(when)}`,
    runAfter === 'Finished' && 'whatever became of its dependencies',
    others.length > 0 && `also after ${others.join(', ')}`,
    why !== '' && status?.phase !== 'Succeeded' && shorten(why),
  ]
    .filter(Boolean)
    .join('  ')
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length <= longestText ? line : `${line.slice(0, longestText)}…`
}
