/*
 * What bindgen reads: QATzip's own header, and what API 2.6 (QATzip 2.0) adds to it that is used
 * here, so that the header of either version gives the same declarations.
 */
#include <qatzip.h>

#if QATZIP_API_VERSION_NUM_MAJOR == 2 && QATZIP_API_VERSION_NUM_MINOR < 6
typedef struct QzSessionParamsZstd_S {
    QzSessionParamsCommon_T common_params;
    unsigned int historyBuffer;
    unsigned char blockSize;
    unsigned char reserved[7];
} QzSessionParamsZstd_T;

int qzGetDefaultsLZ4Block(QzSessionParamsLZ4_T *defaults);
int qzGetDefaultsZstd(QzSessionParamsZstd_T *defaults);
int qzSetupSessionLZ4Block(QzSession_T *sess, QzSessionParamsLZ4_T *params);
int qzSetupSessionZstd(QzSession_T *sess, QzSessionParamsZstd_T *params);
#endif
