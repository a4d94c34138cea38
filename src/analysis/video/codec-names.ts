/** The kind of a track: `raw ` is one codec for pictures and another for sound. */
export type TrackKind = 'video' | 'audio';

type Row = readonly [name: string, codes: string];

/**
 * FFmpeg's names of codecs (libavcodec), each with the containers' names: the four characters of MP4 and QuickTime
 * (libavformat's tables for them, then those of RIFF, which it tries next), and the names of Matroska. Trailing spaces of
 * four characters are left out. `dvh1` is missing, because it is DV in old files and HEVC with Dolby Vision in new ones.
 */
const tables: Readonly<Record<TrackKind, readonly Row[]>> = {
  video: [
    ['8bps', '8BPS'],
    ['aic', 'icod'],
    ['av1', 'av01 V_AV1'],
    ['avrp', 'AVrp SUDS'],
    ['avui', 'AVUI'],
    ['cavs', 'avs2 CAVS V_CAVS'],
    ['cdtoons', 'QkBk'],
    ['cfhd', 'CFHD'],
    ['cinepak', 'cvid'],
    ['dirac', 'drac V_DIRAC'],
    ['dnxhd', 'AVdn AVdh'],
    ['dpx', 'dpx'],
    ['dvvideo', 'dvcp dvc dvlp dvl dvpp dv5p dv5n AVdv AVd1 dvhq dvhp dvh2 dvh3 dvh4 dvh5 dvh6 dvsd dv25 dv50'],
    ['dxv', 'DXD3 DXDI'],
    ['evc', 'evc1'],
    ['exr', 'exr'],
    ['ffv1', 'FFV1 V_FFV1'],
    ['ffvhuff', 'FFVH'],
    ['flic', 'flic'],
    ['gif', 'gif'],
    ['h263', 'h263 s263 H263'],
    [
      'h264',
      'avc1 avc2 avc3 avc4 ai5p ai5q ai52 ai53 ai55 ai56 ai1p ai1q ai12 ai13 ai15 ai16 AVin aivx rv64 xalg avlg dva1 dvav H264 X264 V_MPEG4/ISO/AVC',
    ],
    ['hap', 'Hap1 Hap5 HapY HapA HapM'],
    ['hevc', 'hev1 hvc1 dvhe HEVC H265 V_MPEGH/ISO/HEVC'],
    ['huffyuv', 'HFYU'],
    ['indeo3', 'IV31 IV32'],
    ['indeo5', 'IV50'],
    ['jpeg2000', 'mjp2'],
    ['lcevc', 'lvc1'],
    ['magicyuv', 'M0R0 M0RA M0RG M0Y0 M0Y2 M0Y4 M8RG M8RA M8G0 M8Y0 M8Y2 M8Y4 M8YA M2RA M2RG M4RA M4RG'],
    ['media100', '601N 601P dtnt dtNT dtpa dtPA'],
    ['mjpeg', 'jpeg mjpa AVDJ AVRn dmb1 MJPG V_MJPEG'],
    ['mjpegb', 'mjpb'],
    ['mpeg1video', 'm1v m1v1 mpeg mp1v V_MPEG1'],
    [
      'mpeg2video',
      'm2v1 hdv1 hdv2 hdv3 hdv4 hdv5 hdv6 hdv7 hdv8 hdv9 hdva mx5n mx5p mx4n mx4p mx3n mx3p xd51 xd54 xd55 xd59 xd5a xd5b xd5c xd5d xd5e xd5f xdv1 xdv2 xdv3 xdv4 xdv5 xdv6 xdv7 xdv8 xdv9 xdva xdvb xdvc xdvd xdve xdvf xdhd xdh2 AVmp mp2v V_MPEG2',
    ],
    ['mpeg4', 'mp4v DIVX XVID 3IV2 DX50 FMP4 V_MPEG4/ISO/SP V_MPEG4/ISO/ASP V_MPEG4/ISO/AP'],
    ['msmpeg4v2', 'MP42 DIV2'],
    ['msmpeg4v3', '3IVD MP43 DIV3 V_MPEG4/MS/V3'],
    ['msrle', 'WRLE'],
    ['msvideo1', 'MSVC CRAM'],
    ['notchlc', 'nclc'],
    ['pixlet', 'pxlt'],
    ['png', 'png MNG'],
    ['prores', 'apch apcn apcs apco ap4h ap4x V_PRORES'],
    ['qdraw', 'qdrw'],
    ['qtrle', 'rle'],
    ['r10k', 'R10k R10g'],
    ['r210', 'r210'],
    [
      'rawvideo',
      'raw yuv2 2vuy yuvs v308 v408 v410 L555 L565 B565 24BG BGRA RGBA ABGR b16g b48r b64a bxbg bxrg bxyv NO16 DVOO R420 R411 WRAW AV1x AVup BGGR V_UNCOMPRESSED',
    ],
    ['rpza', 'rpza'],
    ['rv10', 'V_REAL/RV10'],
    ['rv20', 'V_REAL/RV20'],
    ['rv30', 'V_REAL/RV30'],
    ['rv40', 'V_REAL/RV40'],
    ['sgi', 'sgi'],
    ['sgirle', 'rle1'],
    ['sheervideo', 'Shr0 Shr1 Shr2 Shr3 Shr4 Shr5 Shr6 Shr7'],
    ['smc', 'smc'],
    ['svq1', 'SVQ1 svq1 svqi'],
    ['svq3', 'SVQ3'],
    ['targa', 'tga'],
    ['targa_y216', 'Y216'],
    ['theora', 'V_THEORA'],
    ['tiff', 'tiff'],
    ['v210', 'v210 bxy2'],
    ['vc1', 'vc-1 WVC1'],
    ['vp3', 'VP31'],
    ['vp8', 'vp08 V_VP8'],
    ['vp9', 'vp09 V_VP9'],
    ['vvc', 'vvc1 vvi1 V_MPEGI/ISO/VVC'],
    ['wmv1', 'WMV1'],
    ['wmv2', 'WMV2'],
    ['wmv3', 'WMV3'],
    ['y41p', 'Y41P'],
    ['yuv4', 'yuv4'],
  ],
  audio: [
    ['aac', 'mp4a A_AAC'],
    ['ac3', 'ac-3 sac3 A_AC3'],
    ['ac4', 'ac-4'],
    ['adpcm_ima_qt', 'ima4'],
    ['alac', 'alac A_ALAC'],
    ['amr_nb', 'samr'],
    ['amr_wb', 'sawb'],
    ['cook', 'A_REAL/COOK'],
    ['dts', 'dtsc dtsh dtsl dtse DTS A_DTS A_DTS/EXPRESS A_DTS/LOSSLESS'],
    ['dvaudio', 'vdva dvca'],
    ['eac3', 'ec-3 A_EAC3'],
    ['evrc', 'sevc'],
    ['flac', 'fLaC A_FLAC'],
    ['gsm', 'agsm'],
    ['ilbc', 'ilbc'],
    ['mace3', 'MAC3'],
    ['mace6', 'MAC6'],
    ['mlp', 'A_MLP'],
    ['mp1', '.mp1 A_MPEG/L1'],
    ['mp2', '.mp2 A_MPEG/L2'],
    ['mp3', '.mp3 mp3 A_MPEG/L3'],
    ['mpegh_3d_audio', 'mhm1'],
    ['nellymoser', 'nmos NELL'],
    ['opus', 'Opus A_OPUS'],
    ['pcm_alaw', 'alaw'],
    ['pcm_mulaw', 'ulaw'],
    ['pcm_s16be', 'twos'],
    ['pcm_s16le', 'sowt'],
    ['pcm_u8', 'raw NONE'],
    ['qcelp', 'Qclp Qclq sqcp'],
    ['qdm2', 'QDM2'],
    ['qdmc', 'QDMC'],
    ['smv', 'ssmv'],
    ['speex', 'spex SPXN'],
    ['truehd', 'mlpa A_TRUEHD'],
    ['tta', 'A_TTA1'],
    ['vorbis', 'A_VORBIS'],
    ['wavpack', 'A_WAVPACK4'],
  ],
};

const byCode = { video: namesOf(tables.video), audio: namesOf(tables.audio) };

/** Maps codes as they are, and also in capitals, for codes that differ from a known one only in case. */
function namesOf(rows: readonly Row[]): ReadonlyMap<string, string> {
  const all = rows.flatMap(([name, codes]) => codes.split(' ').map((code) => [code, name] as const));
  return new Map([...all.map(([code, name]) => [code.toUpperCase(), name] as const), ...all]);
}

/** FFmpeg's name for a container's codec code; null for a code that it has no name for. */
export function nameOfCode(code: string, kind: TrackKind): string | null {
  const known = byCode[kind];
  return known.get(code) ?? known.get(code.toUpperCase()) ?? null;
}
