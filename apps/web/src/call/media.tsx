import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { send } from '../api/client.js';
import { Problem } from '../ui/parts.js';
import { saveFile } from '../ui/save-file.js';
import { fileType, shownType, type FileDigests } from './media-types.js';
import css from './media.module.css';

interface EmbeddedMediaProps {
  readonly type: string;
  readonly read: () => Promise<string>;
}

/** An image, sound or video inside a payload. It is read when the user wants to see it. */
export function EmbeddedMedia({ type, read }: EmbeddedMediaProps) {
  const [url, setUrl] = useState<string | undefined>();
  if (url !== undefined) return <Shown type={type} url={url} name={type} />;
  return (
    <button type="button" onClick={() => void read().then(setUrl)}>
      Show {type}
    </button>
  );
}

interface FilesProps {
  readonly projectId: string;
  readonly files: FileDigests;
}

/** What SDKs store about a file, beside it. */
const ABOUT = ['metadata.json', '_metadata.json'];

/** Files that an SDK has stored beside a call. */
export function Files({ projectId, files }: FilesProps) {
  const { content, ['metadata.json']: about } = files;
  if (content !== undefined && about !== undefined) {
    return <Content projectId={projectId} content={content} about={about} />;
  }
  const names = Object.keys(files);
  const shown = names.filter((name) => !ABOUT.includes(name));
  return (
    <span className={css.files}>
      {(shown.length > 0 ? shown : names).map((name) => (
        <StoredFile
          key={name}
          projectId={projectId}
          name={name}
          digest={files[name]!}
          type={fileType(name)}
        />
      ))}
    </span>
  );
}

interface ContentProps {
  readonly projectId: string;
  /** Digests. */
  readonly content: string;
  readonly about: string;
}

/** A `weave.Content`: bytes of any type, whose type and name are in a second file. */
function Content({ projectId, content, about }: ContentProps) {
  const { data, error } = useQuery({
    queryKey: ['content', projectId, about],
    staleTime: Infinity,
    queryFn: async ({ signal }) => aboutIn(await (await readFile(projectId, about, signal)).text()),
  });
  if (data === undefined && error === null) return <span>Loading…</span>;
  return (
    <span className={css.files}>
      <StoredFile
        projectId={projectId}
        name={data?.name ?? 'content'}
        digest={content}
        type={data?.type}
      />
    </span>
  );
}

interface About {
  readonly name: string;
  readonly type: string | undefined;
}

function aboutIn(text: string): About {
  const about = JSON.parse(text) as { readonly filename?: unknown; readonly mimetype?: unknown };
  const name = typeof about.filename === 'string' ? about.filename : 'content';
  const type = typeof about.mimetype === 'string' ? shownType(about.mimetype) : fileType(name);
  return { name, type };
}

async function readFile(projectId: string, digest: string, signal?: AbortSignal): Promise<Blob> {
  const body = { project_id: projectId, digest };
  return (await send('/file/content', { body, signal })).blob();
}

interface StoredFileProps {
  readonly projectId: string;
  readonly name: string;
  readonly digest: string;
  /** Undefined for a file that is only downloaded. */
  readonly type: string | undefined;
}

function StoredFile({ projectId, name, digest, type }: StoredFileProps) {
  const { data } = useQuery({
    queryKey: ['file', projectId, digest],
    staleTime: Infinity,
    queryFn: ({ signal }) => readFile(projectId, digest, signal),
    enabled: type !== undefined,
  });
  const [problem, setProblem] = useState<unknown>();
  const url = useObjectUrl(data, type);
  if (type !== undefined && url !== undefined) return <Shown type={type} url={url} name={name} />;
  const save = () =>
    readFile(projectId, digest).then((content) => saveFile(name, content), setProblem);
  return (
    <>
      <button type="button" onClick={() => void save()}>
        Download {name}
      </button>
      {problem !== undefined && <Problem error={problem} />}
    </>
  );
}

/** The type is ours, so that the browser never takes a file for a page. */
function useObjectUrl(content: Blob | undefined, type: string | undefined): string | undefined {
  const [url, setUrl] = useState<string | undefined>();
  useEffect(() => {
    if (content === undefined || type === undefined) return;
    const made = URL.createObjectURL(new Blob([content], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return url;
}

interface ShownProps {
  readonly type: string;
  readonly url: string;
  readonly name: string;
}

export function Shown({ type, url, name }: ShownProps) {
  if (type.startsWith('image/')) return <img src={url} alt={name} className={css.image} />;
  if (type.startsWith('audio/')) return <audio src={url} controls aria-label={name} />;
  return <video src={url} controls aria-label={name} className={css.image} />;
}
