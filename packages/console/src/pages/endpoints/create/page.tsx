// SPDX-License-Identifier: Apache-2.0
/** Create a set from YAML: a template, a dry run on the server, and what it would store. */
import type {Endpoints} from '@palisade/client/browser';
import {useMutation} from '@tanstack/react-query';
import {type ReactNode, useEffect, useState} from 'react';
import {useApi, useRight, withWarnings} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {PageLink, useGo} from '../../../routing/link.tsx';
import {useSearchState} from '../../../routing/use-search-state.ts';
import {Button, CodeBlock, Dialog, PageHeader, toastDone} from '../../../ui/index.ts';
import {reviewText} from '../set/editing/draft.ts';
import {LeaveGuard} from '../set/editing/leave-guard.tsx';
import {FIELD_MANAGER} from '../set/editing/use-save.ts';
import {Editor} from '../yaml/editor.tsx';
import {parseText} from '../yaml/object-text.ts';
import {type Problem, problemsOf} from '../yaml/problems.ts';
import {Warnings} from '../yaml/warnings.tsx';
import {CREATE_SEARCH, templateFor} from './create-search.ts';

export function Page(): ReactNode {
  const [{namespace}] = useSearchState(CREATE_SEARCH);
  return <Create key={namespace} namespace={namespace} />;
}

function Create({namespace}: {readonly namespace: string}): ReactNode {
  const template = templateFor(namespace);
  const [text, setText] = useState(template);
  const wanted = parseText(text).object?.metadata?.namespace ?? namespace;
  const right = useRight({verb: 'create', resource: 'endpoints', namespace: wanted});
  const create = useCreate(text, namespace);
  const review = (): void => {
    if (right.why === undefined && !create.isBusy) create.run(true);
  };
  return (
    <>
      <PageHeader
        title="Create endpoints"
        trail={<PageLink to={links.endpointsList({namespace})}>Endpoints</PageLink>}
        actions={
          <Button kind="primary" busy={create.isBusy} whyDisabled={right.why} onClick={review}>
            Review
          </Button>
        }
      />
      <Editor
        label="YAML of the new set"
        value={text}
        onChange={setText}
        problems={create.problems}
        onSubmit={review}
      />
      {create.result !== undefined && (
        <Dialog
          open
          wide
          onOpenChange={open => !open && create.close()}
          title={`Create ${create.result.namespace}/${create.result.name}?`}
          description="The server accepts it in a dry run, and would store this."
          actions={
            <>
              <Button onClick={create.close}>Back to the text</Button>
              <Button kind="primary" busy={create.isBusy} onClick={() => create.run(false)}>
                Create
              </Button>
            </>
          }
        >
          <Warnings texts={create.result.warnings} />
          <CodeBlock label="The new set" text={create.result.text} copy={false} />
        </Dialog>
      )}
      <LeaveGuard isDirty={text !== template && !create.isDone} />
    </>
  );
}

type Result = {
  readonly namespace: string;
  readonly name: string;
  readonly text: string;
  readonly warnings: readonly string[];
};

/** Dry run and creation; a text without a namespace is created in that of the page. */
function useCreate(text: string, namespace: string) {
  const {kube} = useApi();
  const go = useGo();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [result, setResult] = useState<Result>();
  const [created, setCreated] = useState<string>();
  // After the guard has heard that nothing is lost: its effect comes first.
  useEffect(() => {
    if (created !== undefined) go(created);
  }, [created, go]);
  const {mutate, isPending} = useMutation({
    mutationFn: ({object, dryRun}: {readonly object: Endpoints; readonly dryRun: boolean}) =>
      withWarnings(onWarning =>
        kube.endpoints.create(object.metadata?.namespace ?? namespace, object, {
          ...{dryRun, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', onWarning},
        }),
      ),
    onSuccess: ({answer: {metadata = {}, ...rest}, warnings}, {dryRun}) => {
      const {name = '', namespace: place = ''} = metadata;
      if (dryRun) {
        setResult({namespace: place, name, text: reviewText({metadata, ...rest}), warnings});
        return;
      }
      toastDone(`Created ${place}/${name}`, warnings);
      setCreated(links.endpoints(place, name));
    },
    onError: error => {
      setResult(undefined);
      setProblems(problemsOf(error, text));
    },
  });
  const run = (dryRun: boolean): void => {
    const parsed = parseText(text);
    setProblems(parsed.problems ?? []);
    if (parsed.object !== undefined) mutate({object: parsed.object, dryRun});
  };
  return {problems, result, isDone: created !== undefined, isBusy: isPending, run, close: () => setResult(undefined)};
}
