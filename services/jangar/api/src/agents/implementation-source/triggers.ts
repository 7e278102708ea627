import {
  freeObject,
  integer,
  list,
  map,
  object,
  oneOfStrings,
  optional,
  string,
  withDefault,
  withRules,
} from '@agents/crd'

const actors = object(
  'Who may start runs. The service is asked for the permission of the user with the credential of vcsRef. Linear and generic have no permissions: there, users is required.',
  {
    minimumPermission: withDefault(
      oneOfStrings('The permission in the repository that a user needs.', ['write', 'admin']),
      'write',
    ),
    users: optional(
      list(
        'Only these users of the service; of Linear by their email addresses.',
        string('Name of a user.', { maxLength: 256 }),
        {
          maxItems: 100,
        },
      ),
    ),
    teams: optional(
      list(
        'Members of these teams, besides the users: organization/team of github and gitea, the path of a group of gitlab. Each needs the permission, too. Linear and generic have no teams.',
        string('A team.', {
          pattern: '^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$',
          maxLength: 256,
        }),
        { maxItems: 20 },
      ),
    ),
  },
)

const template = object('The run that is started.', {
  kind: withDefault(oneOfStrings('Kind of the run.', ['AgentRun', 'OrchestrationRun']), 'AgentRun'),
  metadata: optional(
    object('Metadata of the run.', {
      labels: optional(map('Labels.', string('Value of the label.'))),
      annotations: optional(map('Annotations.', string('Value of the annotation.'))),
    }),
  ),
  spec: freeObject(
    'Spec of the run, as its kind defines it. The work of an AgentRun is the issue, unless implementation.inline.text is set. An AgentRun also gets parameters of the event: repository and issueNumber, for Push repository and base, on a pull request repository, head and base; of Linear, issueNumber is the identifier, such as ENG-12, and there is no repository. An OrchestrationRun gets only the parameters of the template. Parameters, and implementation.inline.text of an AgentRun and its steps, may contain templates of the event, such as {{ event.title }}.',
  ),
})

const trigger = withRules(
  object('When a run is started, by whom, and which.', {
    name: string('Name of the trigger, unique within the source.', {
      pattern: '^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$',
    }),
    // Not `on`: YAML reads that as true.
    event: oneOfStrings(
      'The event. Opened: an issue is opened. Labelled: an issue gets the label. Assigned: an issue is assigned. Command: a comment on an issue, or on the pull request of a run, starts with the command. ChangesRequested: a review of the pull request of a run requests changes. CheckFailed: a check of the last commit of such a pull request fails. Push: a user pushes to one of the branches.',
      ['Opened', 'Labelled', 'Assigned', 'Command', 'ChangesRequested', 'CheckFailed', 'Push'],
    ),
    label: optional(string('The label, for Labelled.', { minLength: 1, maxLength: 256 })),
    assignee: optional(
      string(
        'Whom the issue is assigned to, for Assigned; of Linear the email address. If omitted, anybody.',
        { minLength: 1, maxLength: 256 },
      ),
    ),
    command: optional(
      string('The command, for Command. If omitted, defaults to /agent run.', {
        pattern: '^/[a-z0-9-]+( [a-z0-9-]+){0,3}$',
        maxLength: 64,
      }),
    ),
    branches: optional(
      list(
        'The branches, for Push. Patterns match the whole name; * matches any text, including /.',
        string('A pattern.', { minLength: 1, maxLength: 200 }),
        { minItems: 1, maxItems: 20 },
      ),
    ),
    when: optional(
      string(
        'A CEL expression over the event that must be true. It can use event.type, event.actor, event.repository, event.externalId, event.text, of the issue event.title, event.body, event.labels and event.url, of Push event.branch and event.commit, and of CheckFailed event.check and event.commit. An error starts nothing.',
        { minLength: 1, maxLength: 1024 },
      ),
    ),
    actors: optional(actors),
    concurrency: withDefault(
      oneOfStrings(
        'How to treat an event while a run for the same issue is active: Skip ignores it, Replace cancels that run first, Queue waits until it has ended.',
        ['Skip', 'Replace', 'Queue'],
      ),
      'Skip',
    ),
    maxRunsPerHour: withDefault(
      integer(
        'The trigger ignores events while all triggers of the source together have started so many runs within the last hour that still exist.',
        { format: 'int32', minimum: 1, maximum: 1000 },
      ),
      20,
    ),
    maxRounds: withDefault(
      integer(
        'How many runs follow on the pull request of a run, for Command, ChangesRequested and CheckFailed.',
        { format: 'int32', minimum: 1, maximum: 100 },
      ),
      5,
    ),
    template,
  }),
  {
    rule: "(self.event == 'Labelled') == has(self.label)",
    message: 'label is for Labelled, and required there',
  },
  {
    rule: "(self.event == 'Push') == has(self.branches)",
    message: 'branches is for Push, and required there',
  },
  {
    rule: "self.event == 'Assigned' || !has(self.assignee)",
    message: 'assignee is for Assigned only',
  },
  {
    rule: "self.event == 'Command' || !has(self.command)",
    message: 'command is for Command only',
  },
)

export const triggers = list(
  'What starts runs. Requires webhooks, and, except with linear and generic, vcsRef and scope.repository; gitlab and linear have no ChangesRequested, linear has no CheckFailed and Push, and generic has Opened and Labelled only. The author of the source must be allowed to create the runs, and is recorded as the one who requested them.',
  trigger,
  {
    maxItems: 8,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
)
