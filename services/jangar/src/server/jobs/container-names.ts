/** The containers of an attempt's pod that the controller tells apart. */
export const containerNames = {
  /** The main container: runs the agent's program. */
  agent: 'agent-runner',
  /** Fetches the repository. */
  checkout: 'checkout',
  /** Fetches skills from repositories. */
  skills: 'skills',
  /** Verifies the documents of a program that runs without agent-runner. */
  documents: 'documents',
  /** Runs the program of a tool. */
  tool: 'tool',
  /** Creates the work tree for a program that runs without agent-runner. */
  workTree: 'work-tree',
  /** Pushes the work. */
  publish: 'publish',
} as const
