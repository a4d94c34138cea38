/**
 * What the doctor of the service says, in Spanish, by the words of src/doctor: # is a value, and #1 is where the first one
 * stands. Values that are sentences themselves are translated, too.
 */
export const findingsInSpanish: Readonly<Record<string, string>> = {
  '#: #': '#1: #2',

  'Node # on #, #': 'Node #1 en #2, #3',
  'Install Node 20.19 or newer.': 'Instale Node 20.19 o posterior.',
  '# cores and # GiB for # threads': '#1 núcleos y #2 GiB para #3 hilos',
  'Set WORKERS lower, or add memory.': 'Reduzca WORKERS o añada memoria.',
  '# can be read': 'se puede leer #1',
  '# cannot be read': 'no se puede leer #1',
  'Create the folder, or set MEDIA_ROOTS to the folder of the pictures.':
    'Cree la carpeta, o indique en MEDIA_ROOTS la carpeta de las imágenes.',
  '# GiB free under #': '#1 GiB libres en #2',
  'Free some space, or move DATA_DIR.': 'Libere espacio o traslade DATA_DIR.',
  '# cannot be written by this user: #': 'este usuario no puede escribir en #1: #2',
  'it is not a folder': 'no es una carpeta',
  'Run this as its owner, or set DATA_DIR to another folder.':
    'Ejecútelo como propietario de la carpeta, o indique otra en DATA_DIR.',

  'PostgreSQL #, #, # of # connections used': 'PostgreSQL #1, #2, #3 de #4 conexiones en uso',
  embedded: 'integrado',
  'writes fail: #': 'fallan las escrituras: #1',
  'writes are refused: #': 'se rechazan las escrituras: #1',
  'Free some space on the disk of PostgreSQL.': 'Libere espacio en el disco de PostgreSQL.',
  'Set DATABASE_URL to the primary, or make the server writable again (default_transaction_read_only).':
    'Indique en DATABASE_URL el servidor principal, o permita de nuevo las escrituras (default_transaction_read_only).',
  '# answers and supports sessions': '#1 responde y admite sesiones',
  'the embedded PostgreSQL under # is not running': 'el PostgreSQL integrado de #1 no está en marcha',
  'there is no catalog under # yet': 'todavía no hay ningún catálogo en #1',
  'It starts with the service: npm start': 'Arranca con el servicio: npm start',
  'its user is a superuser': 'su usuario es superusuario',
  'Use a role that can only change rows: vitrine migrate --grant ROLE, see docs/run.md.':
    'Use un rol que solo pueda modificar filas: vitrine migrate --grant ROL, véase docs/run.md.',
  'no connection is left: # of # are used, # are reserved for superusers':
    'no quedan conexiones: #1 de #2 están en uso y #3 se reservan para superusuarios',
  'one process may open # connections, the server has #':
    'un proceso puede abrir #1 conexiones, y el servidor tiene #2',
  'Lower DATABASE_CONNECTIONS, or use a pooler.': 'Reduzca DATABASE_CONNECTIONS o use un pooler.',
  '# migration(s) are missing': 'faltan #1 migraciones',
  'Run: vitrine migrate, as the owner of the tables': 'Ejecute vitrine migrate como propietario de las tablas.',
  'they belong to a newer version of Vitrine: #': 'son de una versión más nueva de Vitrine: #1',
  'Run that version, or a newer one.': 'Ejecute esa versión o una posterior.',
  'its user cannot use #': 'su usuario no puede usar #1',
  '# images, # videos, # unfinished operations': 'imágenes: #1; vídeos: #2; operaciones sin terminar: #3',
  '# images, # videos#, # unfinished operations': 'imágenes: #1; vídeos: #2#3; operaciones sin terminar: #4',
  ' (# with ai_status failed)': ' (#1 con ai_status failed)',
  'PostgreSQL refuses: #': 'PostgreSQL rechaza la conexión: #1',
  'PostgreSQL does not answer: #': 'PostgreSQL no responde: #1',

  'DATABASE_READ_URLS is set without DATABASE_URL': 'DATABASE_READ_URLS está definida sin DATABASE_URL',
  'The embedded PostgreSQL has no replicas.': 'El PostgreSQL integrado no tiene réplicas.',
  '# answers, # bytes behind': '#1 responde, con #2 bytes de retraso',
  '# does not answer: #': '#1 no responde: #2',
  '#; it is not read from': '#1; no se lee de ella',
  'Set DATABASE_READ_URLS to streaming replicas of DATABASE_URL, with its database.':
    'Indique en DATABASE_READ_URLS réplicas de DATABASE_URL con su misma base de datos.',

  'the next bottleneck is #: # % of the measured maximum': 'próximo cuello de botella: #1 (#2 % del máximo medido)',
  'the size of the largest tenant, # records': 'el tamaño del mayor inquilino, #1 registros',
  'Use several databases: docs/scale.md.': 'Use varias bases de datos: docs/scale.md.',
  'memory for similarity of # images in each process that searches':
    'la memoria para la similitud de #1 imágenes en cada proceso que busca',
  'Raise SIMILARITY_MEMORY, or set SIMILARITY=database.': 'Aumente SIMILARITY_MEMORY, o indique SIMILARITY=database.',
  'analysis, for which # pictures wait': 'el análisis, que #1 imágenes esperan',
  'Add workers on other machines, or set analysis=off for some tenants.':
    'Añada procesos de trabajo en otros equipos, o ponga analysis=off a algunos inquilinos.',
  'connections to PostgreSQL, # of #': 'las conexiones a PostgreSQL, #1 de #2',
  'Set DATABASE_CONNECTIONS lower, or use PgBouncer.': 'Reduzca DATABASE_CONNECTIONS o use PgBouncer.',
  'memory of PostgreSQL, which reads # % of its pages from outside it':
    'la memoria de PostgreSQL, que lee fuera de ella el #1 % de sus páginas',
  'Raise shared_buffers to a quarter of the memory of its machine, or add memory.':
    'Aumente shared_buffers hasta un cuarto de la memoria de su equipo, o añada memoria.',
  'ranking by PostgreSQL, with # records of a tenant':
    'la ordenación por relevancia de PostgreSQL, con #1 registros de un inquilino',
  'Use Meilisearch: MEILI_URL.': 'Use Meilisearch (MEILI_URL).',

  '1 worker running, #': '1 proceso de trabajo en marcha, #1',
  '# workers running, #': '#1 procesos de trabajo en marcha, #2',
  'queue empty': 'cola vacía',
  '# operations and # chunks of analysis waiting': 'operaciones en espera: #1; lotes de análisis: #2',
  'Start a process with ROLE worker or all, or find out why it ends; nothing is lost.':
    'Inicie un proceso con ROLE worker o all, o averigüe por qué termina; no se pierde nada.',
  'Operation # was accepted # min ago: search the logs of the workers for its operationId.':
    'La operación #1 se aceptó hace #2 min: busque su operationId en los registros de los procesos de trabajo.',

  'none: the queue is in PostgreSQL': 'ninguno: la cola está en PostgreSQL',
  'Cannot use Redis at #: #': 'No se puede usar Redis en #1: #2',
  'Start it, correct REDIS_URL, or unset it everywhere: the queue is then in PostgreSQL.':
    'Inícielo, corrija REDIS_URL o quítela en todas partes: la cola está entonces en PostgreSQL.',
  'Redis at #': 'Redis en #1',
  '# refuses writes: #': '#1 rechaza las escrituras: #2',
  'Set REDIS_URL to the primary, or give it more memory or disk; meanwhile workers find work in PostgreSQL.':
    'Indique en REDIS_URL el servidor principal, o dele más memoria o disco; entretanto los procesos hallan el trabajo en PostgreSQL.',
  '# answers': '#1 responde',
  '# evicts keys when it is full (#)': '#1 elimina claves cuando está lleno (#2)',
  'Set maxmemory-policy noeviction.': 'Indique maxmemory-policy noeviction.',

  'none: PostgreSQL searches': 'ninguno: busca PostgreSQL',
  'Meilisearch at # accepts the key, which is limited to some indexes and cannot read the version':
    'Meilisearch en #1 acepta la clave, limitada a algunos índices y que no puede leer la versión',
  'The service needs 1.28 or newer.': 'El servicio necesita 1.28 o posterior.',
  'Meilisearch at # refuses the key (#)': 'Meilisearch en #1 rechaza la clave (#2)',
  'Set MEILI_KEY to its master key, or to one with the actions in docs/meilisearch.md.':
    'Indique en MEILI_KEY su clave maestra, o una con las acciones de docs/meilisearch.md.',
  'Meilisearch # at #': 'Meilisearch #1 en #2',
  'Meilisearch does not answer at #: #': 'Meilisearch no responde en #1: #2',
  'Check MEILI_URL; PostgreSQL searches until it answers.': 'Compruebe MEILI_URL; PostgreSQL busca hasta que responda.',
  'the # Meilisearch servers reach each other': 'los #1 servidores de Meilisearch se comunican entre sí',
  'They must reach each other at the addresses in MEILI_URL: set MEILI_EXPERIMENTAL_ALLOWED_IP_NETWORKS.':
    'Deben comunicarse en las direcciones de MEILI_URL: defina MEILI_EXPERIMENTAL_ALLOWED_IP_NETWORKS.',
  'Meilisearch at # cannot query #: #': 'Meilisearch en #1 no puede consultar #2: #3',
  'Meilisearch at # does not know the others yet: #': 'Meilisearch en #1 aún no conoce a los demás: #2',
  'A worker tells it at its start, with a key that has the actions in docs/meilisearch.md.':
    'Un proceso de trabajo se lo dice al arrancar, con una clave que tenga las acciones de docs/meilisearch.md.',
  'Meilisearch is #': 'Meilisearch está #1',
  '#, # of its indexes not filled yet': '#1, con #2 de sus índices aún sin llenar',
  'up to date': 'al día',
  '# change behind, the oldest # s old': 'a #1 cambio de estar al día, el más antiguo de hace #2 s',
  '# changes behind, the oldest # s old': 'a #1 cambios de estar al día, el más antiguo de hace #2 s',
  'See "cannot send changes to Meilisearch" in the logs of the workers. PostgreSQL answers meanwhile.':
    'Vea «cannot send changes to Meilisearch» en los registros de los procesos de trabajo. Entretanto responde PostgreSQL.',
  'Meilisearch refused # records': 'Meilisearch ha rechazado #1 registros',
  'SELECT resource, row_id, error FROM search_outbox WHERE error IS NOT NULL; PostgreSQL answers for their tenants.':
    'SELECT resource, row_id, error FROM search_outbox WHERE error IS NOT NULL; PostgreSQL responde por sus inquilinos.',

  'a worker without METRICS_PORT cannot be checked': 'no se puede comprobar un proceso de trabajo sin METRICS_PORT',
  'Set METRICS_PORT, which also serves its metrics.': 'Defina METRICS_PORT, que también sirve sus métricas.',
  'answers at #': 'responde en #1',
  'is up but not ready: #': 'está en marcha pero no listo: #1',
  'another program answers at #': 'otro programa responde en #1',
  'See its log.': 'Vea su registro.',
  'Choose another port.': 'Elija otro puerto.',
  'nothing is listening at #': 'nada escucha en #1',
  'Start the service: vitrine serve': 'Inicie el servicio: vitrine serve',
  'METRICS_PORT and PORT are both #': 'METRICS_PORT y PORT son ambos #1',
  'Set METRICS_PORT to another port.': 'Indique otro puerto en METRICS_PORT.',
  'Choose another METRICS_PORT, or correct METRICS_HOST.': 'Elija otro METRICS_PORT o corrija METRICS_HOST.',
  'answers at #, without a key, for anyone who can reach this machine':
    'responde en #1 sin clave a quien pueda acceder a este equipo',
  'Set METRICS_HOST to an internal address, or let a firewall keep others out.':
    'Indique en METRICS_HOST una dirección interna, o proteja el puerto con un cortafuegos.',
  'BASE_URL has the path #': 'BASE_URL tiene la ruta #1',
  'The proxy in front of the service must remove this path.':
    'El proxy situado ante el servicio debe quitar esta ruta.',

  off: 'desactivadas',
  'kept below DATA_DIR': 'en DATA_DIR',
  'kept in #': 'en #1',
  '# does not return what is written to it': '#1 no devuelve lo que se escribe en él',
  'Check # and AWS_ENDPOINT_URL.': 'Compruebe #1 y AWS_ENDPOINT_URL.',
  'Cannot keep # in #: #': 'No se puede guardar (#1) en #2: #3',
  'Check #, AWS_ENDPOINT_URL and the access key; it needs to read, write and remove objects.':
    'Compruebe #1, AWS_ENDPOINT_URL y la clave de acceso, que debe permitir leer, escribir y eliminar objetos.',

  'video frames can be decoded': 'se pueden descodificar fotogramas',
  'Videos are stored without frames. Run npm install again, then analyzeVideos(q: "ai_status:failed").':
    'Los vídeos se guardan sin fotogramas. Ejecute de nuevo npm install y después analyzeVideos(q: "ai_status:failed").',
  'WebAssembly runs the built-in networks': 'WebAssembly ejecuta las redes integradas',
  'ONNX Runtime runs the built-in networks': 'ONNX Runtime ejecuta las redes integradas',
  'Pictures take twice the time. ONNX Runtime needs the C library glibc on Linux.':
    'Las imágenes tardan el doble. En Linux, ONNX Runtime necesita la biblioteca glibc.',
  '# cannot be loaded': 'no se puede cargar #1',

  'models # of #; try vitrine models check': 'modelos #1 de #2; pruebe vitrine models check',
  'nothing here runs the models #': 'aquí nada ejecuta los modelos #1',
  'Run: #': 'Ejecute: #1',
  'local models serve #, but their library is not installed':
    'los modelos locales sirven #1, pero su biblioteca no está instalada',
  'the model for # is in #': 'el modelo para #1 está en #2',
  'there is no model for # in #': 'no hay ningún modelo para #1 en #2',
  'Copy the model to that folder.': 'Copie el modelo en esa carpeta.',
  'Correct models.json: docs/analysis.md#your-own-models': 'Corrija models.json: docs/analysis.md#your-own-models',
  'serves #': 'sirve #1',
  '#; # answers': '#1; #2 responde',
  '#, but HF_TOKEN is not set': '#1, pero HF_TOKEN no está definida',
  'Set HF_TOKEN, or set HF_ENDPOINT to your own server.':
    'Defina HF_TOKEN, o indique su propio servidor en HF_ENDPOINT.',
  'refuses HF_TOKEN (#)': 'rechaza HF_TOKEN (#1)',
  'Create a token that may call inference providers.': 'Cree un token que permita llamar a proveedores de inferencia.',
  '#, but # cannot be reached: #': '#1, pero no se puede llegar a #2: #3',
  'Check the endpoint, HTTPS_PROXY, and outgoing connections of this machine.':
    'Compruebe la dirección, HTTPS_PROXY y las conexiones salientes de este equipo.',
  'English, Spanish, French, Portuguese': 'inglés, español, francés, portugués',
  'there are no languages in #': 'no hay ningún idioma en #1',
  'Set TESSDATA_DIR to a folder of *.traineddata.': 'Indique en TESSDATA_DIR una carpeta de *.traineddata.',

  '# of # large tenants have an index of vectors': '#1 de #2 inquilinos grandes tienen un índice de vectores',
  '# (pgvector #)': '#1 (pgvector #2)',
  '#, one is built: # vectors are in it': '#1, se está creando uno: contiene #2 vectores',
  'PostgreSQL has no pgvector': 'PostgreSQL no tiene pgvector',
  'Install pgvector 0.8 or newer on its machine; the workers do the rest.':
    'Instale pgvector 0.8 o posterior en su equipo; los procesos de trabajo hacen el resto.',
  'its pgvector is too old': 'su pgvector es demasiado antiguo',
  'Install pgvector 0.8 or newer and run: ALTER EXTENSION vector UPDATE':
    'Instale pgvector 0.8 o posterior y ejecute: ALTER EXTENSION vector UPDATE',
  'pgvector is in a schema that is not on the search path': 'pgvector está en un esquema fuera del search_path',
  'Run: ALTER EXTENSION vector SET SCHEMA public, with the schema of the tables.':
    'Ejecute: ALTER EXTENSION vector SET SCHEMA public, con el esquema de las tablas.',
  'PostgreSQL has pgvector, but this database lacks it': 'PostgreSQL tiene pgvector, pero esta base de datos no',
  'If the workers may not create it, a superuser can: CREATE EXTENSION vector':
    'Si los procesos de trabajo no pueden crearla, puede un superusuario: CREATE EXTENSION vector',
  'this user does not own the tables, which creating an index requires':
    'este usuario no es propietario de las tablas, lo que hace falta para crear un índice',
  'Run as their owner, and again when a tenant has become large: vitrine reindex --vectors':
    'Ejecute como su propietario, y otra vez cuando un inquilino se haya hecho grande: vitrine reindex --vectors',
  '# of # # exist for #; until all do, # tenant(s) are searched with #':
    '#1 de #2 #3 existen para #4; hasta que existan todos, se busca en #5 inquilinos con #6',
  'vectors of images': 'vectores de imágenes',
  'vectors of frames of videos': 'vectores de fotogramas de vídeos',
  'Analyze the rest: #(q: "ai_status:stale"); the workers then switch over.':
    'Analice el resto: #1(q: "ai_status:stale"); después los procesos de trabajo cambian de modelo.',
  'The workers switch over as soon as the new vectors have their index in the database.':
    'Los procesos de trabajo cambian de modelo en cuanto los vectores nuevos tienen su índice en la base de datos.',

  'PostgreSQL # is too old: Vitrine needs # or newer.':
    'PostgreSQL #1 es demasiado antiguo: Vitrine necesita #2 o posterior.',
  'it has another database': 'tiene otra base de datos',
  'it is not a replica': 'no es una réplica',
  'it follows a former primary': 'sigue a un antiguo servidor principal',
  'Check DATABASE_URL and that the server accepts connections from here.':
    'Compruebe DATABASE_URL y que el servidor acepte conexiones desde aquí.',
  'Check user and password in DATABASE_URL.': 'Compruebe el usuario y la contraseña de DATABASE_URL.',
  'Allow this user and address in pg_hba.conf of the server.':
    'Permita este usuario y esta dirección en el pg_hba.conf del servidor.',
  'Create the database first: #': 'Cree antes la base de datos: #1',
  'Grant this user access to the tables: vitrine migrate --grant USER, with the DATABASE_URL of their owner.':
    'Dé a este usuario acceso a las tablas: vitrine migrate --grant USUARIO, con el DATABASE_URL de su propietario.',
  'Raise max_connections of the server, or lower DATABASE_CONNECTIONS of each process.':
    'Aumente max_connections en el servidor o reduzca DATABASE_CONNECTIONS en cada proceso.',
  'It is starting or stopping: try again in a moment, and check its log.':
    'Está arrancando o parando: vuelva a intentarlo dentro de un momento y vea su registro.',
  'Check host and port in DATABASE_URL, and that the server runs.':
    'Compruebe el equipo y el puerto de DATABASE_URL, y que el servidor esté en marcha.',
  'Check host and port in DATABASE_URL, and the firewalls in between.':
    'Compruebe el equipo y el puerto de DATABASE_URL, y los cortafuegos intermedios.',
  'Check the host name in DATABASE_URL.': 'Compruebe el nombre del equipo en DATABASE_URL.',
};
