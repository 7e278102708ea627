import { LinearDocument } from '@linear/sdk'

// Linear publishes its schema as the documents of its SDK: what these contain exists.

const {
  IssuesDocument,
  Issue_LabelsDocument,
  ProjectFragmentDoc,
  TeamFragmentDoc,
  WorkflowStateFragmentDoc,
} = LinearDocument

/** A field of a document, with the names of its arguments and what is selected of it. */
export interface Selection {
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  /** Undefined if it is a value. */
  readonly fields: readonly Selection[] | undefined
}

interface Document {
  /** Types of the variables by their names. */
  readonly variables: Readonly<Record<string, string>>
  readonly root: readonly Selection[]
  /** Fields of types, by the names of their fragments. */
  readonly fragments: Readonly<Record<string, readonly Selection[]>>
}

/** As much of the language as the documents use. */
export function readDocument(text: string): Document {
  const tokens = text.match(/\.\.\.\w+|[$\w]+|[{}():![\]]/g) ?? []
  let at = 0
  const next = () => tokens[at++] ?? ''
  const pairs = (): Record<string, string> => {
    const found: Record<string, string> = {}
    if (tokens[at] !== '(') return found
    at++
    while (tokens[at] !== ')') {
      const name = next()
      if (next() !== ':') throw new SyntaxError(`no value of ${name}`)
      let value = ''
      while (tokens[at] !== ')' && tokens[at + 1] !== ':') value += next()
      found[name] = value
      if (at >= tokens.length) throw new SyntaxError('an end is missing')
    }
    at++
    return found
  }
  const selections = (): Selection[] => {
    if (next() !== '{') throw new SyntaxError('a selection is missing')
    const found: Selection[] = []
    while (tokens[at] !== '}') {
      if (at >= tokens.length) throw new SyntaxError('an end is missing')
      const name = next()
      const args = pairs()
      found.push({ name, args, fields: tokens[at] === '{' ? selections() : undefined })
    }
    at++
    return found
  }
  let variables: Readonly<Record<string, string>> = {}
  let root: readonly Selection[] = []
  const fragments: Record<string, readonly Selection[]> = {}
  while (at < tokens.length) {
    const kind = next()
    const name = next()
    if (kind === 'query') {
      variables = pairs()
      root = selections()
    } else if (kind === 'fragment') {
      at += 2
      fragments[name] = selections()
    } else throw new SyntaxError(`${kind} is not read`)
  }
  return { variables, root, fragments }
}

const issues = readDocument(IssuesDocument.toString())
const labels = readDocument(Issue_LabelsDocument.toString())

/** The fields of each type, and the types of those that are objects and not values. */
const types: Readonly<Record<string, readonly Selection[]>> = {
  Query: issues.root,
  ...issues.fragments,
  Issue: [...(issues.fragments.Issue ?? []), ...(labels.root[0]?.fields ?? [])],
  ...labels.fragments,
  Team: fragment(TeamFragmentDoc, 'Team'),
  Project: fragment(ProjectFragmentDoc, 'Project'),
  WorkflowState: fragment(WorkflowStateFragmentDoc, 'WorkflowState'),
}

function fragment(document: { toString(): string }, name: string): readonly Selection[] {
  return readDocument(document.toString()).fragments[name] ?? []
}

/** Where the documents select the identifier alone. */
const named: Readonly<Record<string, string>> = {
  team: 'Team',
  project: 'Project',
  state: 'WorkflowState',
}

/** What in a document Linear does not have. */
export function documentProblems(text: string): readonly string[] {
  const { variables, root } = readDocument(text)
  const unknown = Object.entries(variables)
    .filter(([name, type]) => issues.variables[name] !== type)
    .map(([name, type]) => `${name} of type ${type}`)
  return [...unknown, ...problems('Query', root, variables)]
}

function problems(
  type: string,
  selected: readonly Selection[],
  variables: Readonly<Record<string, string>>,
): string[] {
  return selected.flatMap(({ name, args, fields }) => {
    const known = types[type]?.find((one) => one.name === name)
    if (known === undefined) return [`${type}.${name}`]
    const wrong = Object.entries(args)
      .filter(
        ([arg, value]) =>
          !isArgument(type === 'Query' ? issues : labels, known.args[arg], value, variables),
      )
      .map(([arg]) => `${type}.${name}(${arg})`)
    if ((known.fields === undefined) !== (fields === undefined))
      return [...wrong, `${type}.${name}`]
    const [spread] = known.fields ?? []
    const of = named[name] ?? spread?.name.replace('...', '') ?? ''
    return [...wrong, ...problems(of, fields ?? [], variables)]
  })
}

/** A variable of the same type, or a number for one. */
function isArgument(
  described: Document,
  known: string | undefined,
  value: string,
  variables: Readonly<Record<string, string>>,
): boolean {
  const type = described.variables[known ?? '']
  if (type === undefined) return false
  return value.startsWith('$') ? variables[value] === type : type === 'Int' && /^\d+$/.test(value)
}
